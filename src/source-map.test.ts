import assert from 'node:assert/strict'
import { SourceMap as NodeSourceMap } from 'node:module'
import { test } from 'node:test'
import { transform } from 'esbuild'
import { SourceMap } from './source-map.ts'

const SOURCE = `export interface Unused {
  readonly a: string
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

export class Account {
  #balance = 0

  deposit(amount: number): void {
    if (amount <= 0) throw new RangeError(\`can not deposit \${amount}\`)
    this.#balance += amount
  }
}
`

test('positions are those that the source map of Node finds', async () => {
  for (const minify of [false, true]) {
    const { code, map } = await transform(SOURCE, { loader: 'ts', sourcemap: true, sourcefile: 'account.ts', minify })
    const payload = JSON.parse(map)
    const [reference, subject] = [new NodeSourceMap(payload), new SourceMap(payload)]
    for (const [line, text] of code.split('\n').entries()) {
      for (let column = 0; column < text.length; column++) {
        const entry = reference.findEntry(line, column)
        // Node returns the last segment of an earlier line where a line has none yet.
        const isOfLine = 'generatedLine' in entry && entry.generatedLine === line
        const expected = isOfLine
          ? { source: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
          : null
        assert.deepEqual(subject.find(line + 1, column + 1), expected, `${line}:${column}`)
      }
    }
  }
})

test('positions outside of the generated file, and of a damaged map, are not found', () => {
  const map = new SourceMap({ sources: ['a.ts'], mappings: 'AAAA' })
  assert.deepEqual(map.find(1, 1), { source: 'a.ts', line: 1, column: 1 })
  assert.equal(map.find(0, 1), null)
  assert.equal(map.find(2, 1), null)
  assert.equal(new SourceMap({ sources: [], mappings: 'AAAA' }).find(1, 1), null)
  assert.equal(new SourceMap({ sources: ['a.ts'], mappings: ';;!?' }).find(1, 1), null)
})
