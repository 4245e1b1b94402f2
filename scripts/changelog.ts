import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Release notes of a version: the fragments `<area>__<slug>.md` of a folder, by area. */
export function changelogSection(version: string, date: string, fragments: ReadonlyMap<string, string>): string {
  const areas = Map.groupBy([...fragments].toSorted(), ([name]) => name.split('__')[0] as string)
  const sections = [...areas].map(([area, notes]) => {
    const items = notes.map(([, text]) => `- ${text.trim().replace(/\n(?=[^\n])/g, '\n  ')}\n`)
    return `### ${titleOf(area)}\n\n${items.join('')}`
  })
  return `## ${version} (${date})\n\n${sections.join('\n')}`
}

/** The fragments of a folder by name. */
export function readFragments(directory: string): ReadonlyMap<string, string> {
  const files = globSync('*__*.md', { cwd: directory })
  return new Map(files.map((file) => [basename(file, '.md'), readFileSync(join(directory, file), 'utf8')]))
}

function titleOf(area: string): string {
  const words = area.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
