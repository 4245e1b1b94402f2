// The real Groovy: one JVM that runs snippet after snippet.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Outcome, withoutAddresses } from '../../../packages/groovy/snippets/outcome.ts'
import { fetchJars } from '../maven.ts'

export const GROOVY_VERSION = '4.0.33'
const classes = join(import.meta.dirname, '..', '..', '..', '.cache', 'groovy-harness')

/** Runs all snippets, in order; `progress` is called with the number of finished ones. */
export async function realOutcomes(snippets: readonly string[], progress: (done: number) => void): Promise<Outcome[]> {
  const jars = fetchJars(
    `org.apache.groovy:groovy:${GROOVY_VERSION}`,
    `org.apache.groovy:groovy-json:${GROOVY_VERSION}`,
    `org.apache.groovy:groovy-xml:${GROOVY_VERSION}`,
  )
  mkdirSync(classes, { recursive: true })
  const compiled = spawnSync(
    'javac',
    ['-cp', jars.join(delimiter), '-d', classes, join(import.meta.dirname, 'Harness.java')],
    {
      encoding: 'utf8',
    },
  )
  if (compiled.status !== 0)
    throw new Error(`the harness does not compile: ${compiled.error?.message ?? compiled.stderr}`)
  const jvm = spawn(
    'java',
    ['-XX:TieredStopAtLevel=1', '-Xmx1g', '-cp', [classes, ...jars].join(delimiter), 'Harness'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  try {
    const outcomes: Outcome[] = []
    const lines = createInterface({ input: jvm.stdout })[Symbol.asyncIterator]()
    for (const snippet of snippets) {
      jvm.stdin.write(`${Buffer.from(snippet).toString('base64')}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`the JVM ended at the snippet:\n${snippet}`)
      outcomes.push(parse(value, snippet))
      progress(outcomes.length)
    }
    return outcomes
  } finally {
    jvm.stdin.end()
    jvm.kill()
  }
}

function parse(line: string, snippet: string): Outcome {
  const [kind = '', name = '', text = '', printed = ''] = line
    .split(' ')
    .map((field) => (field === '-' ? '' : Buffer.from(field, 'base64').toString()))
  if (kind !== 'value' && kind !== 'throws' && kind !== 'refused')
    throw new Error(`${kind} in the real Groovy:\n${snippet}`)
  // Compiler messages contain positions of the JVM; only the rejection is compared.
  return kind === 'refused'
    ? { kind, class: '', text: '', printed }
    : { kind, class: name, text: withoutAddresses(text), printed }
}
