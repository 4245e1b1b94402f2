/** One line of a comparison: common to both texts, only in the old one, or only in the new one. */
export interface LineEdit {
  readonly kind: 'common' | 'removed' | 'added'
  readonly line: string
}

/** Edits beyond which the search stops: its memory grows with their square. */
const MAX_EDITS = 1_000

/** The shortest edit from one list of lines to another (Myers); very different texts are replaced as a whole. */
export function lineEdits(before: readonly string[], after: readonly string[]): LineEdit[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const shorter = Math.min(before.length, after.length) - start
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return [
    ...edits('common', before.slice(0, start)),
    ...(shortestEdit(old, fresh) ?? [...edits('removed', old), ...edits('added', fresh)]),
    ...edits('common', before.slice(before.length - end)),
  ]
}

function edits(kind: LineEdit['kind'], lines: readonly string[]): LineEdit[] {
  return lines.map((line) => ({ kind, line }))
}

/**
 * `reached[k]` is the furthest position in the old lines on the diagonal k, which is the position in the old lines minus
 * that in the new ones. Each round allows one edit more; the rounds are stored to walk back. Null beyond the limit.
 */
function shortestEdit(old: readonly string[], fresh: readonly string[]): LineEdit[] | null {
  const rounds: Map<number, number>[] = []
  let reached = new Map([[1, 0]])
  for (let count = 0; count <= Math.min(MAX_EDITS, old.length + fresh.length); count++) {
    rounds.push(reached)
    const next = new Map<number, number>()
    for (let k = -count; k <= count; k += 2) {
      let x = isInsertion(reached, k, count) ? at(reached, k + 1) : at(reached, k - 1) + 1
      while (x < old.length && x - k < fresh.length && old[x] === fresh[x - k]) x++
      next.set(k, x)
      if (x >= old.length && x - k >= fresh.length) return walkBack(old, fresh, rounds)
    }
    reached = next
  }
  return null
}

function at(reached: ReadonlyMap<number, number>, k: number): number {
  return reached.get(k) ?? -1
}

function isInsertion(reached: ReadonlyMap<number, number>, k: number, count: number): boolean {
  return k === -count || (k !== count && at(reached, k - 1) < at(reached, k + 1))
}

function walkBack(
  old: readonly string[],
  fresh: readonly string[],
  rounds: readonly ReadonlyMap<number, number>[],
): LineEdit[] {
  const found: LineEdit[] = []
  let [x, y] = [old.length, fresh.length]
  for (let count = rounds.length - 1; count >= 0; count--) {
    const reached = rounds[count] as ReadonlyMap<number, number>
    const k = x - y
    const previous = isInsertion(reached, k, count) ? k + 1 : k - 1
    const from = at(reached, previous)
    const [beforeX, beforeY] = [from, from - previous]
    while (x > beforeX && y > beforeY && x > 0 && y > 0) {
      found.push({ kind: 'common', line: old[--x] as string })
      y--
    }
    if (count === 0) break
    if (x === beforeX) found.push({ kind: 'added', line: fresh[--y] as string })
    else found.push({ kind: 'removed', line: old[--x] as string })
  }
  return found.reverse()
}
