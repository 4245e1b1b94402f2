import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedTopics, PREAMBLE } from './generated.ts'

const folder = join(import.meta.dirname, 'texts')

/** Snippets by topic: handwritten ones, one file each, and generated ones. */
export function snippetsByTopic(): Map<string, readonly string[]> {
  const topics = new Map<string, readonly string[]>()
  for (const file of readdirSync(folder).toSorted()) {
    const snippets = readFileSync(join(folder, file), 'utf8')
      .split(/^----$/m)
      .map((each) => each.replace(/^\n+|\n+$/g, ''))
      .filter((each) => each !== '')
    topics.set(file.replace(/\.groovy$/, ''), snippets)
  }
  for (const [topic, snippets] of generatedTopics()) topics.set(topic, snippets)
  return topics
}

/** The complete text of a snippet; generated ones have a common preamble. */
export function sourceOf(snippet: string): string {
  return /\bt \{ /.test(snippet) ? PREAMBLE + snippet : snippet
}
