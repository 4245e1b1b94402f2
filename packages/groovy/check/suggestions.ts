/** The most similar of several other names, for `did you mean`; null if none is similar. */
export function nearest(name: string, names: Iterable<string>): string | null {
  let [best, least] = [null as string | null, name.length < 5 ? 2 : 3]
  for (const each of names) {
    // A property may have the name of a missing method.
    if (each === name) continue
    const distance = each.toLowerCase() === name.toLowerCase() ? 0 : editDistance(name, each, least)
    if (distance < least) [best, least] = [each, distance]
  }
  return best
}

/** Edit distance (insert, delete, replace, swap), at most `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit
  let before: number[] = []
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1]
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1)
      next.push(cost)
    }
    before = row
    row = next
  }
  return Math.min(row[right.length]!, limit)
}
