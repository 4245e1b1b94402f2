// Runs every snippet in the real Groovy, records the outcomes, and compares ours with them.
import { readExpected, writeExpected } from '../../../packages/groovy/snippets/expected.ts'
import { differences } from '../../../packages/groovy/snippets/known-differences.ts'
import { difference, type Outcome, ourOutcome } from '../../../packages/groovy/snippets/outcome.ts'
import { snippetsByTopic, sourceOf } from '../../../packages/groovy/snippets/snippets.ts'
import { GROOVY_VERSION, realOutcomes } from './real-groovy.ts'

/** Words choose topics. */
export async function run(words: readonly string[]): Promise<boolean> {
  const topics = [...snippetsByTopic()].filter(
    ([topic]) => words.length === 0 || words.some((word) => topic.includes(word)),
  )
  const all = topics.flatMap(([, snippets]) => snippets)
  console.log(`Groovy ${GROOVY_VERSION}: ${all.length} snippets of ${topics.length} topics`)
  const outcomes = await realOutcomes(all.map(sourceOf), (done) => {
    if (done % 250 === 0) console.log(`${done} of ${all.length}`)
  })
  let next = 0
  let [changed, differing] = [0, 0]
  for (const [topic, snippets] of topics) {
    const before = readExpected(topic)
    const recorded = new Map<string, Outcome>()
    for (const snippet of snippets) {
      const outcome = outcomes[next++] as Outcome
      recorded.set(snippet, outcome)
      const old = before.get(snippet)
      if (old !== undefined && JSON.stringify(old) !== JSON.stringify(outcome)) {
        changed += 1
        console.log(
          `${topic}: recorded otherwise before: ${difference(old, outcome) ?? 'its message differs'}\n  ${indented(snippet)}`,
        )
      }
      const found = difference(outcome, await ourOutcome(sourceOf(snippet)))
      if (found === null || differences.has(snippet)) continue
      differing += 1
      console.log(`${topic}: ${found}\n  ${indented(snippet)}`)
    }
    writeExpected(topic, recorded)
  }
  console.log(
    `${all.length} snippets, ${differing} differ, ${changed} recorded otherwise before, ${differences.size} known differences`,
  )
  return differing === 0
}

function indented(snippet: string): string {
  return snippet.replaceAll('\n', '\n  ')
}
