import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The fenced blocks of a guide in one language, in order. */
export function guideBlocks(guide: string, language: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guide', `${guide}.md`), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block]) => block as string,
  )
}

/** The commands of a guide as one script whose `curl` fails on error statuses. */
export function guideScript(guide: string, replaced: Readonly<Record<string, string>>): string {
  const script = guideBlocks(guide, 'sh')
    .join('')
    .replaceAll(/\bcurl /g, 'curl --silent --show-error --fail-with-body --max-time 20 ')
  return Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), script)
}
