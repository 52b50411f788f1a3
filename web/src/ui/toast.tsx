// SPDX-License-Identifier: Apache-2.0
// A short notice that something was done, with the way back while there is one.
import { useEffect } from "react";
import { Observable } from "../store/observable";
import { Button } from "./Button";
import styles from "./toast.module.css";
import { useReadable } from "./useReadable";

interface Toast {
    text: string;
    undo?: { label: string; act: () => void };
    /** Called when the time to undo is over. */
    onGone?: () => void;
}

const LASTS_MS = 5_000;
const current = new Observable<Toast | undefined>(undefined);

export function showToast(toast: Toast): void {
    current.get()?.onGone?.();
    current.set(toast);
}

export function ToastPlace() {
    const toast = useReadable(current);
    useEffect(() => {
        if (!toast) {
            return;
        }
        const timer = setTimeout(() => {
            current.set(undefined);
            toast.onGone?.();
        }, LASTS_MS);
        return () => clearTimeout(timer);
    }, [toast]);
    return (
        <div role="status" className={styles.place}>
            {toast && (
                <div className={styles.toast}>
                    <span>{toast.text}</span>
                    {toast.undo && (
                        <Button
                            look="quiet"
                            onPress={() => {
                                current.set(undefined);
                                toast.undo?.act();
                            }}
                        >
                            {toast.undo.label}
                        </Button>
                    )}
                </div>
            )}
        </div>
    );
}
