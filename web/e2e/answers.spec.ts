// SPDX-License-Identifier: Apache-2.0
// Forms of what agents ask: each field of a schema, what is wrong with an answer, and what has no schema.
import { button, heardFrom, speak, test } from "./asks";
import { expect, get, onWorkersToo } from "./check";

test(
    "AFormOfASchemaNamesWhatIsWrongAndTheAnswerIsTyped",
    onWorkersToo,
    async ({ server, aiko, asks }) => {
        const { page } = aiko;
        const asked = await asks("order");
        await page.goto(`${server.url}/approvals/${asked.id}`);
        const card = asked.card(page);
        await expect(card.getByLabel("Boxes")).toHaveValue("1");
        await card.getByLabel("Weight").fill("heavy");
        await card.getByLabel("Email").fill("nobody");
        await button(card, "Send answer").click();
        await expect(card.getByRole("alert")).toHaveText(
            "Please check: Carrier, Weight, Email, Insured, and Full name.",
        );
        await expect(card.getByLabel("Weight")).toHaveAttribute("aria-invalid", "true");
        await expect(card.getByLabel("Weight")).toHaveAccessibleDescription(/Enter a number/);
        await expect(card.getByRole("radio", { name: "Yamato" })).toBeFocused();

        await card.getByRole("radio", { name: "Sagawa" }).check();
        await card.getByLabel("Weight").fill("31");
        await card.getByLabel("Day").fill("2026-12-24");
        await card.getByLabel("Email").fill("ann@example.com");
        await card.getByLabel("Boxes").fill("３");
        await card.getByRole("radio", { name: "No", exact: true }).check();
        await card.getByRole("checkbox", { name: "7" }).check();
        await card.getByRole("checkbox", { name: "gift wrap" }).check();
        await card.getByLabel("Marks").fill("fragile\n日本");
        await card.getByLabel("Full name").fill("Ann");
        await button(card, "Send answer").click();
        await expect(card.getByLabel("Weight")).toHaveAccessibleDescription("At most 30.");
        await expect(card.getByLabel("Weight")).toBeFocused();
        await card.getByLabel("Weight").fill("1.5");
        await page.keyboard.press("Enter");
        await expect(card).toContainText("Answered by you");

        const { response } = await get(aiko, server.url, `approvals/${asked.id}`);
        expect(response).toEqual({
            carrier: "Sagawa",
            weight: 1.5,
            day: "2026-12-24",
            mail: "ann@example.com",
            boxes: 3,
            isInsured: false,
            extras: ["gift wrap", 7],
            marks: ["fragile", "日本"],
            to: { name: "Ann" },
        });
        await heardFrom(aiko, server.url, asked.room, `Order: ${JSON.stringify(response)}`);
    },
);

test.describe("what the server refuses", () => {
    test.use({ allowed: /status of 422/ });

    test("IsSaidAtItsFieldInTheLanguageOfThePage", async ({ server, aiko, asks }) => {
        const { page } = aiko;
        const asked = await asks("order");
        await page.goto(server.url);
        await speak(page, "ja");
        await page.goto(`${server.url}/approvals/${asked.id}`);
        const card = asked.card(page);
        await card.getByLabel("Weight").fill("0");
        await button(card, "回答を送信").click();
        await expect(card.getByLabel("Weight")).toHaveAccessibleDescription(
            "0.1以上にしてください。",
        );
        await expect(card.getByRole("alert")).toHaveText(
            "確認してください: Carrier、Weight、Insured、Full name",
        );

        // As a server with a rule that the page does not know would refuse it.
        const refuse = (field: string) =>
            page.route(`**/api/v1/approvals/${asked.id}`, (route) =>
                route.request().method() === "PATCH"
                    ? route.fulfill({
                          status: 422,
                          contentType: "application/problem+json",
                          json: {
                              code: "VALIDATION_ERROR",
                              status: 422,
                              errors: [{ field, reason: "malformed" }],
                          },
                      })
                    : route.continue(),
            );
        await refuse("response.to.name");
        await card.getByRole("radio", { name: "Yamato" }).check();
        await card.getByLabel("Weight").fill("2");
        await card.getByRole("radio", { name: "はい" }).check();
        await card.getByLabel("Full name").fill("x");
        await button(card, "回答を送信").click();
        await expect(card.getByLabel("Full name")).toHaveAccessibleDescription(
            "サーバーに受け付けられませんでした。",
        );
        await expect(card.getByRole("alert")).toHaveText("確認してください: Full name");
        await page.unroute(`**/api/v1/approvals/${asked.id}`);
        await refuse("response");
        await card.getByLabel("Full name").fill("Ann");
        await button(card, "回答を送信").click();
        await expect(card.getByRole("alert")).toHaveText("回答が質問の形式に合いません。");
        await page.unroute(`**/api/v1/approvals/${asked.id}`);
        await button(card, "回答を送信").click();
        await expect(card).toContainText("回答済み（あなた）");
    });

    test("OfAnUnknownShapeIsAnsweredAsJson", async ({ server, aiko, asks }) => {
        const { page } = aiko;
        const asked = await asks("ranges");
        await page.goto(`${server.url}/approvals/${asked.id}`);
        const card = asked.card(page);
        const field = card.getByLabel("Your answer, as JSON");
        await expect(card.locator("details")).toContainText('"required"');
        await field.fill("[{from: 1}]");
        await button(card, "Send answer").click();
        await expect(card.getByRole("alert")).toContainText("not valid JSON");
        await expect(field).toBeFocused();
        // The page does not know what fits: the server does.
        await field.fill('[{"from": "one", "to": 2}]');
        await button(card, "Send answer").click();
        await expect(card.getByRole("alert")).toHaveText(
            "The answer does not fit the question. Please check: [0].from.",
        );
        await field.fill('[{"from": 1, "to": 2}]');
        await button(card, "Send answer").click();
        await expect(card).toContainText("Answered by you");
        await heardFrom(aiko, server.url, asked.room, 'Ranges: [{"from":1,"to":2}]');
    });
});

test("AQuestionWithoutASchemaTakesWords", async ({ server, aiko, asks }) => {
    const { page } = aiko;
    const asked = await asks("anything");
    await page.goto(`${server.url}/inbox`);
    const questions = page.getByRole("region", { name: "Questions" });
    await questions.getByLabel("Your answer").fill("Nimbus\nthe second");
    await button(questions, "Send answer").click();
    await expect(asked.card(page)).toContainText("Answered by you");
    await expect(asked.card(page)).toContainText("Nimbus");
    await heardFrom(aiko, server.url, asked.room, "It is called Nimbus\nthe second");
});
