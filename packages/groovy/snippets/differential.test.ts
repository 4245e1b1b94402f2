// Compares our Groovy with recorded results of the real one for the same snippets. `npm run interop -- groovy` records them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileProgram, coreLibrary, loadRareClasses } from '../index.ts'
import { readExpected } from './expected.ts'
import { differences } from './known-differences.ts'
import { difference, ourOutcome } from './outcome.ts'
import { snippetsByTopic, sourceOf } from './snippets.ts'

await loadRareClasses()

for (const [topic, snippets] of snippetsByTopic()) {
  test(`snippets about ${topic} have the results of real Groovy`, async () => {
    const expected = readExpected(topic)
    const findings: string[] = []
    for (const snippet of snippets) {
      const outcome = expected.get(snippet)
      if (outcome === undefined) findings.push(`not recorded yet, run npm run interop -- groovy:\n${snippet}`)
      else if (!differences.has(snippet)) {
        const found = difference(outcome, await ourOutcome(sourceOf(snippet)))
        if (found !== null) findings.push(`${found}\n${snippet}`)
      }
    }
    assert.deepEqual(findings, [])
    assert.equal(expected.size, new Set(snippets).size, 'a recorded snippet is no longer there')
  })
}

test('the checker finds nothing in snippets that the real Groovy runs', () => {
  const findings: string[] = []
  for (const [topic, snippets] of snippetsByTopic()) {
    const expected = readExpected(topic)
    for (const snippet of snippets) {
      if (expected.get(snippet)?.kind !== 'value' || differences.has(snippet)) continue
      try {
        compileProgram({ text: sourceOf(snippet), file: 'Snippet.groovy', library: coreLibrary() })
      } catch (error) {
        if (!usesMissingMember(snippet)) findings.push(`${(error as Error).message}\n${snippet}`)
      }
    }
  }
  assert.deepEqual(findings, [])
})

/** Snippets that use missing members on purpose. */
function usesMissingMember(snippet: string): boolean {
  return /catch \(e\)|catch \(NullPointerException/.test(snippet)
}

test('there are at least 1,000 snippets', () => {
  const count = [...snippetsByTopic().values()].reduce((sum, snippets) => sum + snippets.length, 0)
  assert.ok(count >= 1_000, `${count} snippets`)
})
