// SPDX-License-Identifier: Apache-2.0
// Choosing a channel by name.
import type { Report } from "./data";
import { element, unitText } from "./numbers";

const most = 150;

export function pickChannel(report: Report, title: string, done: (name: string) => void): void {
  const dialog = element("dialog", "picker");
  const head = element("h2", "", title);
  const input = element("input");
  input.type = "search";
  input.placeholder = "words of its name, for example rod velocity";
  input.setAttribute("aria-label", "Find a channel");
  const list = element("div", "picker-list");
  const names = [...report.runs[0].channels.keys()];
  const choose = (name: string) => {
    dialog.close();
    done(name);
  };
  const fill = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    // Words that are whole parts of a name count: "rod y" finds rod.position.y before rod.velocity.x.
    const whole = (name: string) => name.toLowerCase().split(".").filter((part) => words.includes(part)).length;
    const found = names
      .filter((name) => words.every((word) => name.toLowerCase().includes(word)))
      .map((name) => ({ name, score: whole(name) }))
      .sort((a, b) => b.score - a.score)
      .map(({ name }) => name);
    list.replaceChildren();
    for (const name of found.slice(0, most)) {
      const channel = report.runs[0].channel(name);
      const item = element("button", "picker-item");
      item.append(element("span", "name", name), element("small", "", unitText(channel?.unit ?? "")));
      if (channel?.resolution === "none") {
        item.disabled = true;
        item.title = "not in this report; trammel report --channel takes it in";
      } else if (channel && channel.resolution !== "complete") item.append(element("small", "", "≈ thinned"));
      item.addEventListener("click", () => choose(name));
      list.append(item);
    }
    if (found.length > most) list.append(element("p", "hint", `and ${found.length - most} more: say more of the name`));
    if (found.length === 0) list.append(element("p", "hint", "No channel has all these words in its name."));
  };
  input.addEventListener("input", fill);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const item = list.querySelector<HTMLButtonElement>("button:not(:disabled)");
    item?.click();
  });
  dialog.append(head, input, list);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  fill();
  dialog.showModal();
  input.focus();
}
