/** Texts of a draft that can be undone and redone, without a limit. */
export interface TextHistory {
  readonly past: readonly string[]
  readonly text: string
  readonly future: readonly string[]
  /** Time of the last edit that was typed: a run of typing is undone at once. */
  readonly typedAt: number
}

const TYPING_PAUSE = 800

export function startHistory(text: string): TextHistory {
  return { past: [], text, future: [], typedAt: 0 }
}

/** Adds a text; what was typed shortly after other typing continues that step. */
export function edited(history: TextHistory, text: string, isTyped: boolean, now: number): TextHistory {
  if (text === history.text) return history
  const continues = isTyped && now - history.typedAt < TYPING_PAUSE && history.future.length === 0
  const past = continues ? history.past : [...history.past, history.text]
  return { past, text, future: [], typedAt: isTyped ? now : 0 }
}

export function undone({ past, text, future }: TextHistory): TextHistory | null {
  const last = past.at(-1)
  return last === undefined ? null : { past: past.slice(0, -1), text: last, future: [text, ...future], typedAt: 0 }
}

export function redone({ past, text, future: [next, ...future] }: TextHistory): TextHistory | null {
  return next === undefined ? null : { past: [...past, text], text: next, future, typedAt: 0 }
}
