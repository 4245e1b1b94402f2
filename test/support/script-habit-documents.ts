// Documents of script habits: a route, scripts in several languages, requests, and the one result that all scripts must give.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { JsonObject, JsonValue } from '#json'

/** One script of a habit. */
export interface Variant {
  readonly id: string
  readonly title: string
  readonly language: Language
  readonly source: string
}

type Language = 'groovy' | 'javascript' | 'typescript'

/** A document: its scripts, its route, and what is sent and expected. */
export interface Habit {
  readonly id: string
  readonly title: string
  readonly route: string
  readonly exchanges: string
  readonly variants: readonly Variant[]
}

/** A request and the expected response. */
export interface ExpectedExchange {
  /** Method and target. */
  readonly send: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly expect: {
    readonly status: number
    /** Fields by lower-case name; null for a field that must be missing. */
    readonly headers?: Readonly<Record<string, string | null>>
    readonly body?: string
    readonly json?: JsonValue
    /** The request as the application received it; fields as in `headers`. */
    readonly received?: JsonObject
    /** Members of the access event. */
    readonly audit?: JsonObject
    /** Text of a log entry. */
    readonly log?: string
  }
}

export const LANGUAGES: Readonly<Record<Language, { readonly type: string; readonly extension: string }>> = {
  groovy: { type: 'application/x-groovy', extension: 'groovy' },
  javascript: { type: 'application/javascript', extension: 'js' },
  typescript: { type: 'application/typescript', extension: 'ts' },
}

const DEFAULT_ROUTE = `{
  "baseURI": "{app}",
  "handler": {
    "type": "Chain",
    "config": {
      "filters": [{ "type": "ScriptableFilter", "config": { "script": true, "args": { "service": "{app}" } } }],
      "handler": "ReverseProxyHandler"
    }
  }
}`

/** All documents of a folder. */
export function readHabits(directory: string): readonly Habit[] {
  return globSync('*.md', { cwd: directory })
    .sort()
    .map((file) => readHabit(basename(file, '.md'), readFileSync(join(directory, file), 'utf8')))
}

function readHabit(id: string, text: string): Habit {
  const blocks = [...text.matchAll(/^```(\w+)(?: (.*))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', title = '', source = '']) => ({ language, title, source }),
  )
  const json = (title: string): string | undefined =>
    blocks.find((block) => block.language === 'json' && block.title === title)?.source
  const variants = blocks
    .filter(({ language }) => Object.hasOwn(LANGUAGES, language))
    .map(({ language, title, source }, at) => ({
      id: `${id}-${at}`,
      title: title === '' ? language : `${language}: ${title}`,
      language: language as Language,
      source,
    }))
  const exchanges = json('exchanges')
  assert.ok(exchanges !== undefined && variants.length > 0, `${id}.md has no exchanges or no scripts`)
  return { id, title: /^# (.*)/m.exec(text)?.[1] ?? id, route: json('route') ?? DEFAULT_ROUTE, exchanges, variants }
}
