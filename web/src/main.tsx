// SPDX-License-Identifier: Apache-2.0
// Where the page begins.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./pages/App";
import { applyPreferences, preferences } from "./store/preferences";
import { keepConversionKeys } from "./ui/ime";
import "./ui/tokens.css";
import "./ui/base.css";

applyPreferences();
preferences.watch(applyPreferences);
keepConversionKeys(window);

const place = document.getElementById("app");
if (place) {
    createRoot(place).render(
        <StrictMode>
            <App />
        </StrictMode>,
    );
}
