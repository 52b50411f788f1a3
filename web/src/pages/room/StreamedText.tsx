// SPDX-License-Identifier: Apache-2.0
// Markdown while it is being written: what stands before the last block is not made anew with each word.
import { splitBlocks } from "../../store/blocks";
import { Markdown, PARSED_LENGTH } from "../../ui/Markdown";
import styles from "./AgentRow.module.css";

export function StreamedText({ text, isOpen }: { text: string; isOpen: boolean }) {
    // As it will be shown when it is complete.
    const blocks = text.length > PARSED_LENGTH ? [text] : splitBlocks(text);
    return (
        <div className={`${styles.blocks} ${isOpen ? styles.caret : ""}`}>
            {blocks.map((block, at) => (
                // Blocks are only added at the end.
                <Markdown key={at} text={block} />
            ))}
        </div>
    );
}
