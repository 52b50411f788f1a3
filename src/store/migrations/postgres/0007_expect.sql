-- SPDX-License-Identifier: Apache-2.0
-- What a statement expects of the database: a miss undoes its transaction, with a state that tells which one it was.

CREATE FUNCTION convene_expect(is_met boolean, state text, what text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF is_met THEN
        RETURN true;
    END IF;
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = what;
END
$$;
