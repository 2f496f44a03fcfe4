// SPDX-License-Identifier: Apache-2.0
// What keys do.
import { element } from "./numbers";

const keys: [string, string][] = [
  ["Space", "play or pause"],
  ["← →", "one frame back or on (with Shift: ten)"],
  ["Home End", "first or last frame"],
  ["↑ ↓", "faster or slower"],
  ["1 2 3 4", "view: angle, front, side, top"],
  ["F", "fit the whole motion into the picture"],
  ["J A R P T C G", "joints, axes, reactions, applied forces, trails, contacts, ground"],
  ["N", "select the next body (with Shift: the one before)"],
  ["O", "follow the selected body, or stop following"],
  ["Esc", "select nothing"],
  ["D", "dark or light"],
  ["?", "this list"],
];

/** Shows what keys do. */
export function showHelp(): void {
  const dialog = element("dialog", "help");
  dialog.append(element("h2", "", "Keys"));
  const table = element("table");
  for (const [key, meaning] of keys) {
    const row = element("tr");
    const cell = element("td");
    for (const word of key.split(" ")) cell.append(element("kbd", "", word));
    row.append(cell, element("td", "", meaning));
    table.append(row);
  }
  dialog.append(table, element("p", "hint", "Drag turns the picture, the right button moves it, the wheel zooms."));
  const close = element("button", "", "Close");
  close.addEventListener("click", () => dialog.close());
  dialog.append(close);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
