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

/** A fenced block of commands, with the output that the document shows for it. */
export interface CommandBlock {
  readonly commands: string
  readonly output: readonly string[]
}

/** Blocks of commands of a document, each with the `text` block that follows it. */
export function commandBlocks(markdown: string): CommandBlock[] {
  const found: { commands: string; output: string[] }[] = []
  for (const [, language, text = ''] of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
    if (language === 'sh') found.push({ commands: text, output: [] })
    else if (language === 'text') found.at(-1)?.output.push(...text.trim().split('\n'))
  }
  return found
}

/** Whether a printed line is one that a document shows, in which `...` stands for any text. */
export function isShownLine(shown: string, printed: string): boolean {
  const parts = shown.trim().split('...')
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[^\w\s]/g, '\\$&')).join('.*')}$`).test(printed.trim())
}

/** The lines that a document shows for a block and that were not printed. */
export function missingLines({ output }: CommandBlock, printed: string): string[] {
  const lines = printed.split('\n')
  return output.filter((shown) => shown.trim() !== '' && !lines.some((line) => isShownLine(shown, line)))
}
