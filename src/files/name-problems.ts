/** Characters that change the order in which a name is shown, or have no width. Joiners are part of words of some languages. */
const REORDERING = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/

/** What is wrong with names of files, of which each is checked by itself and with the others, by name. */
export function nameProblems(names: Iterable<string>): ReadonlyMap<string, string> {
  const problems = new Map<string, string>()
  const known = new Map<string, string>()
  for (const name of names) {
    const folded = foldedName(name)
    const other = known.get(folded)
    known.set(folded, other ?? name)
    const problem = reorderingProblem(name)
    if (problem !== null) problems.set(name, `${problem}; rename the file`)
    else if (other !== undefined && other !== name) {
      const difference = `the name differs from ${JSON.stringify(other)} by case or Unicode form only`
      problems.set(name, `${difference}, so that some file systems take both for one file; rename one of them`)
    }
  }
  return problems
}

/** Why a name does not look like what it is; null where it does. */
export function reorderingProblem(name: string): string | null {
  const [found] = REORDERING.exec(name) ?? []
  if (found === undefined) return null
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `the name has the character U+${code}, which is not shown or changes the order of others`
}

/** Names that are equal for file systems that ignore case and Unicode forms have the same. */
export function foldedName(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
}
