// Comments, names, texts and documents use the vocabulary of docs/architecture.md.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { test } from 'node:test'
import { splitCamelCase, type Wording, wordingsOf } from '#test/source-words'

const root = join(import.meta.dirname, '..')

/** Rejected words, each with its replacement. */
const refused: Record<string, string> = {
  whoever: 'name the component: client, caller, peer, operator',
  nobody: '"no caller", "no client", or the passive voice',
  somebody: 'name the component: client, caller, peer, operator',
  anew: '"again", or the verb: rebuild, reconnect, retry',
  'is none': '"has no ...", "without ...", "does not exist"',
  'at rest': 'idle keep-alive, idle',
  told: 'notified, logged, reported, exposed',
  farewell: 'close, delete, unsubscribe',
}

const phrases = Object.keys(refused)
/** Matches few files without a rejected word, so that few files are scanned. */
const mayContain = new RegExp(phrases.map((phrase) => phrase.replace(' ', '[^a-z]*')).join('|'), 'i')
const wholePhrase = new RegExp(`\\b(?:${phrases.map((phrase) => phrase.replace(' ', '\\s+')).join('|')})\\b`, 'gi')

function findings(path: string, text: string): string[] {
  const wordings: Wording[] = [{ text: `${splitCamelCase(path)} `, offset: 0 }]
  if (mayContain.test(text)) wordings.push(...(path.endsWith('.md') ? [{ text, offset: 0 }] : wordingsOf(text)))
  return wordings.flatMap(({ text: wording, offset }) =>
    Array.from(wording.matchAll(wholePhrase), (match) => {
      const word = match[0].toLowerCase().replace(/\s+/, ' ')
      const line = text.slice(0, offset + match.index).split('\n').length
      return `${path}:${line}: "${word}"; better: ${refused[word]}`
    }),
  )
}

test('comments, names, texts and documents use the words of the vocabulary', () => {
  const files = globSync(
    ['{src,packages,dev,test,bench,scripts}/**/*.{ts,mjs}', '{src,packages,docs,changes}/**/*.md', '*.md'],
    {
      cwd: root,
    },
  )
  assert.ok(files.length > 1_000, `${files.length} files were found`)
  const found = files
    .map((file) => file.split(sep).join('/'))
    .filter((path) => path !== 'test/architecture-vocabulary.test.ts')
    .sort()
    .flatMap((path) => findings(path, readFileSync(join(root, path), 'utf8')))
  assert.equal(found.length, 0, `see "Vocabulary" in docs/architecture.md\n  ${found.join('\n  ')}`)
})

test('rejected words are found in comments, across lines, in identifiers, strings, templates and file names', () => {
  const source = [
    '/** A connection at',
    ' * rest. */',
    'const isAtRest = /["`\'/]/.test(`${state + "}"} by whoever`)',
    '// There is',
    '// none.',
    'this.#toldOnce = total / 2 // not retold',
    "log('Nobody answered')",
  ].join('\n')
  assert.deepEqual(
    findings('src/farewell-list.ts', source).map((finding) => finding.replace(/; better.*/, '')),
    [
      'src/farewell-list.ts:1: "farewell"',
      'src/farewell-list.ts:1: "at rest"',
      'src/farewell-list.ts:3: "whoever"',
      'src/farewell-list.ts:4: "is none"',
      'src/farewell-list.ts:7: "nobody"',
      'src/farewell-list.ts:3: "at rest"',
      'src/farewell-list.ts:6: "told"',
    ],
  )
})

test('words that only contain a rejected word are allowed', () => {
  assert.deepEqual(findings('src/a.ts', '// at restart, retold, isNonEmpty\nconst threatRest = new Error()'), [])
})
