// SPDX-License-Identifier: Apache-2.0
// A dialog in the middle, or a sheet from below on a phone: focus goes in, Escape and the veil close.
import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import styles from "./Dialog.module.css";

export interface DialogProps {
    title: string;
    onClose: () => void;
    /** A title that everybody can see would repeat what the content says. */
    titleLook?: "shown" | "spoken";
    place?: "middle" | "top";
    children: ReactNode;
}

export function Dialog({
    title,
    onClose,
    titleLook = "shown",
    place = "middle",
    children,
}: DialogProps) {
    return (
        <ModalOverlay
            isOpen
            isDismissable
            onOpenChange={(isOpen) => !isOpen && onClose()}
            className={`${styles.veil} ${styles[place]}`}
        >
            <Modal className={styles.modal}>
                <AriaDialog className={styles.dialog}>
                    <Heading
                        slot="title"
                        className={titleLook === "shown" ? styles.title : "hidden-visually"}
                    >
                        {title}
                    </Heading>
                    {children}
                </AriaDialog>
            </Modal>
        </ModalOverlay>
    );
}

export function DialogActions({ children }: { children: ReactNode }) {
    return <div className={styles.actions}>{children}</div>;
}

export interface DialogFormProps {
    /** By which the button among the actions finds it. */
    id: string;
    onSubmit: (form: HTMLFormElement) => void;
    children: ReactNode;
}

/** Fields below each other. */
export function DialogForm({ id, onSubmit, children }: DialogFormProps) {
    return (
        <form
            id={id}
            className={styles.form}
            onSubmit={(submit) => {
                submit.preventDefault();
                onSubmit(submit.currentTarget);
            }}
        >
            {children}
        </form>
    );
}
