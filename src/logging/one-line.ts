// Everything that ends a line, moves a terminal's cursor or reorders text: C0 and C1 controls, DEL, line and
// paragraph separators, bidirectional marks and overrides, and the byte order mark.
const active = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
const activeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(character: string): string {
  return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A text as it may stand in a line on a terminal: no control, no line end, no reordering. */
export function oneLine(text: string): string {
  return text.replace(active, escaped)
}

/** A JSON text without the characters that JSON leaves as they are but terminals and log viewers act on. */
export function oneJsonLine(json: string): string {
  return json.replace(activeInJson, escaped)
}
