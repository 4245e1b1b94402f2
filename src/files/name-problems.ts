/**
 * Characters that are not shown, or change the order in which others are. Joiners are part of words of some languages, and variation
 * selectors of emoji.
 */
const HIDDEN =
  /[[\p{Default_Ignorable_Code_Point}\p{Control}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}]--[\u200c\u200d\ufe00-\ufe0f]]/v

/** Names of devices on Windows, also with an extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** What is wrong with names of files or paths, of which each is checked by itself and with the others, by name. */
export function nameProblems(names: Iterable<string>): ReadonlyMap<string, string> {
  const problems = new Map<string, string>()
  const known = new Map<string, string>()
  for (const name of names) {
    const folded = foldedName(name)
    const other = known.get(folded)
    known.set(folded, other ?? name)
    const problem = name
      .split('/')
      .map(nameProblem)
      .find((found) => found !== null)
    if (problem !== undefined) problems.set(name, `${problem}; rename the file`)
    else if (other !== undefined && other !== name) {
      const difference = `the name differs from ${JSON.stringify(other)} by case or Unicode form only`
      problems.set(name, `${difference}, so that some file systems take both for one file; rename one of them`)
    }
  }
  return problems
}

/** Why other systems or readers take the name of a file or folder for another one; null where they do not. */
export function nameProblem(name: string): string | null {
  if (name.includes('\ufffd')) return 'the name is not UTF-8, or has the character U+FFFD'
  if (name.includes('\\')) return 'the name has a backslash, which separates folders on some systems'
  if (DEVICE.test(name)) return 'the name is that of a device on some systems'
  if (/[. ]$/.test(name)) return 'the name ends with a dot or a space, which some file systems drop'
  return hiddenProblem(name)
}

/** Why a text does not look like what it is; null where it does. */
export function hiddenProblem(text: string): string | null {
  const [found] = HIDDEN.exec(text) ?? []
  if (found === undefined) return null
  const code = found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `the name has the character U+${code}, which is not shown or changes the order of others`
}

/** Names that are equal for file systems that ignore case and Unicode forms have the same. */
export function foldedName(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
}
