// SPDX-License-Identifier: Apache-2.0
// Makes a room, alone or with an agent that drives it; it opens as soon as the server has it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { createRoom, createRoomWithAgent, fetchChannels, startSession } from "../../api/calls";
import type { RegisteredChannel, Room } from "../../api/model";
import { type Problem, problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { ProblemNote } from "../../ui/ProblemNote";
import { Select } from "../../ui/Select";
import { useSession } from "../shell/SessionContext";

/** Those that answer, for who may see them. */
function useAgents(): RegisteredChannel[] {
    const { me } = useSession();
    const { data } = useQuery({
        queryKey: ["channels"],
        queryFn: fetchChannels,
        enabled: me.user.role !== "member",
    });
    return (data ?? []).filter(({ type, is_enabled }) => type === "agent" && is_enabled);
}

export default function NewRoomDialog({ onClose }: { onClose: () => void }) {
    const t = useTranslations("newRoom");
    const tAgent = useTranslations("agent");
    const queries = useQueryClient();
    const navigate = useNavigate();
    const [name, setName] = useState("");
    const [isNeeded, setIsNeeded] = useState(false);
    const [isBusy, setIsBusy] = useState(false);
    const [problem, setProblem] = useState<Problem>();
    const agents = useAgents();
    const [agentId, setAgentId] = useState("");
    /** A room whose agent could not be made its driver is not made a second time. */
    const made = useRef<Room>(undefined);

    async function make(): Promise<Room> {
        const agent = agents.find(({ id }) => id === agentId);
        if (!agent) {
            return createRoom(name.trim());
        }
        made.current ??= await createRoomWithAgent(name.trim(), agent);
        await startSession(made.current.id, agent.id);
        return made.current;
    }

    async function create(): Promise<void> {
        setIsNeeded(name.trim() === "");
        if (name.trim() === "") {
            return;
        }
        setIsBusy(true);
        setProblem(undefined);
        try {
            const room = await make();
            await queries.invalidateQueries({ queryKey: ["rooms"] });
            onClose();
            await navigate({ to: "/rooms/$roomId", params: { roomId: room.id } });
        } catch (thrown) {
            setProblem(problemOf(thrown));
            setIsBusy(false);
        }
    }

    return (
        <Dialog title={t("title")} onClose={onClose}>
            <form
                id="new-room"
                onSubmit={(submit) => {
                    submit.preventDefault();
                    void create();
                }}
            >
                <Field
                    label={t("name")}
                    name="name"
                    help={t("nameHelp")}
                    error={isNeeded ? t("needed") : undefined}
                    autoComplete="off"
                    autoFocus
                    value={name}
                    onChange={setName}
                />
                {agents.length > 0 && (
                    <Select
                        label={tAgent("choose")}
                        value={agentId}
                        options={[
                            { value: "", label: tAgent("none") },
                            ...agents.map((agent) => ({
                                value: agent.id,
                                label: agent.name || agent.id,
                            })),
                        ]}
                        onChange={setAgentId}
                    />
                )}
            </form>
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{t("cancel")}</Button>
                <Button type="submit" form="new-room" look="filled" isDisabled={isBusy}>
                    {t("create")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
