// SPDX-License-Identifier: Apache-2.0
// A message's text as Markdown, safe by having no way for HTML: links leave, images are not loaded.
import { memo, useMemo } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { useTranslations } from "use-intl";
import { splitMentions } from "../store/mentions";
import styles from "./Markdown.module.css";

interface TextNode {
    type: string;
    value?: string;
    children?: TextNode[];
    data?: { hName: string; hProperties: { className: string | undefined } };
}

/** Makes the names in a text stand out; what is code or a link stays as it is. */
function remarkMentions({ names }: { names: readonly string[] }) {
    const people = names.map((name) => ({ display_name: name }));
    const visit = (node: TextNode): void => {
        node.children = node.children?.flatMap((child): TextNode[] => {
            if (child.type === "text") {
                return splitMentions(child.value ?? "", people).map(({ text, person }) =>
                    person
                        ? {
                              type: "mention",
                              data: { hName: "span", hProperties: { className: styles.mention } },
                              children: [{ type: "text", value: text }],
                          }
                        : { type: "text", value: text },
                );
            }
            if (child.type !== "link") {
                visit(child);
            }
            return [child];
        });
    };
    return visit;
}

/** Only what leads to another page or a mail; everything else stays the text that it is. */
function safeTarget(url: string): string | undefined {
    return /^(https?:\/\/|mailto:)/i.test(url) ? url : undefined;
}

function ImageName({ alt }: { alt?: string }) {
    const t = useTranslations("message");
    return (
        <span className={styles.image}>{alt ? t("image", { name: alt }) : t("imageHidden")}</span>
    );
}

const components: Components = {
    a: ({ href, children }) =>
        href ? (
            <a href={href} target="_blank" rel="noopener noreferrer nofollow">
                {children}
            </a>
        ) : (
            <span>{children}</span>
        ),
    // Loading it would tell the sender's server who reads, and when.
    img: ({ alt }) => <ImageName alt={alt} />,
    // A message is not the page: its headings don't belong to the page's outline.
    h1: ({ children }) => <p className={styles.heading}>{children}</p>,
    h2: ({ children }) => <p className={styles.heading}>{children}</p>,
    h3: ({ children }) => <p className={styles.heading}>{children}</p>,
    h4: ({ children }) => <p className={styles.heading}>{children}</p>,
    h5: ({ children }) => <p className={styles.heading}>{children}</p>,
    h6: ({ children }) => <p className={styles.heading}>{children}</p>,
    // Wide content scrolls by itself, also by keyboard, and never the page.
    pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
    table: ({ children }) => (
        <div className={styles.table} tabIndex={0}>
            <table>{children}</table>
        </div>
    ),
    input: ({ checked }) => <span aria-hidden="true">{checked ? "☑ " : "☐ "}</span>,
};

/** Beyond this a message is shown as it was written: parsing it would hold up the page. */
export const PARSED_LENGTH = 20_000;

export interface MarkdownProps {
    text: string;
    /** The people whom the text names, one on a line. */
    names?: string;
}

export const Markdown = memo(function Markdown({ text, names = "" }: MarkdownProps) {
    const plugins = useMemo(
        (): Options["remarkPlugins"] => [remarkGfm, [remarkMentions, { names: names.split("\n") }]],
        [names],
    );
    if (text.length > PARSED_LENGTH) {
        return <div className={styles.plain}>{text}</div>;
    }
    return (
        <div className={styles.markdown}>
            <ReactMarkdown
                remarkPlugins={plugins}
                components={components}
                urlTransform={safeTarget}
            >
                {text}
            </ReactMarkdown>
        </div>
    );
});
