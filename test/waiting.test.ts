// Waits of tests have a limit and name what did not happen (test/support/waiting.ts).
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { once, waitUntil, within } from '#test/waiting'

test('a state that is not reached fails with its name', async () => {
  let calls = 0
  await waitUntil('the third call', () => ++calls === 3)
  await waitUntil('the sixth call', async () => ++calls === 6)
  assert.equal(calls, 6)
  await assert.rejects(
    waitUntil('the door opened', () => false, 10),
    { message: '0.01 s passed before the door opened' },
  )
})

test('a promise that does not settle fails with its name; one that settles returns its result', async () => {
  assert.equal(await within('the number', Promise.resolve(7)), 7)
  await assert.rejects(within('the number', Promise.reject(new Error('broken'))), { message: 'broken' })
  await assert.rejects(within('the number', new Promise(() => {}), 10), {
    message: '0.01 s passed before the number',
  })
})

test('an event resolves with its arguments, and an error event rejects', async () => {
  const emitter = new EventEmitter()
  const open = once(emitter, 'open')
  emitter.emit('open', 1, 2)
  assert.deepEqual(await open, [1, 2])
  const closed = once(emitter, 'close')
  emitter.emit('error', new Error('reset'))
  await assert.rejects(closed, { message: 'reset' })
})

const root = join(import.meta.dirname, '..')

test('no test waits without a limit', () => {
  const unbounded = [
    /^import \{.*\bonce\b.*\} from 'node:events'/m,
    /^ *while \(.*\) await (?:new Promise|once)\b.*set(?:Immediate|Timeout)/m,
    /^ *while \(.*await .*(?:[!=]==|[<>]).*\);$/m,
  ]
  const found = globSync('{src,packages,dev,test}/**/*.test.ts', { cwd: root })
    .filter((path) => path !== join('test', 'waiting.test.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return unbounded.flatMap((pattern) => {
        const match = pattern.exec(text)
        return match === null ? [] : [`${path}:${text.slice(0, match.index).split('\n').length}: ${match[0].trim()}`]
      })
    })
    // Bounded by the clock.
    .filter((line) => !/performance\.now\(\) <|Date\.now\(\) - /.test(line))
  assert.deepEqual(found, [], 'use waitUntil, within or once of #test/waiting')
})

test('no test has a time limit that ends before its waits, which name what is missing', () => {
  const limit = 30_000
  const found = globSync('{src,packages,dev,test}/**/*.test.ts', { cwd: root }).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const inPlace = [...text.matchAll(/^ *(?:test|describe)\([^\n]*\btimeout: ([\d_]+) \}, async/gm)]
    const named = [...text.matchAll(/^const (\w+) = \{ (?:[^\n{}]*, )?timeout: ([\d_]+)[^\n{}]*\}$/gm)].filter(
      ([, name]) => new RegExp(`(?:test|describe)\\([^\\n]*, ${name}, |^ *${name},\\n *async`, 'm').test(text),
    )
    return [...inPlace, ...named].flatMap((match) =>
      Number(match.at(-1)?.replaceAll('_', '')) <= limit ? [`${path}: ${match[0].trim()}`] : [],
    )
  })
  assert.deepEqual(found, [], `leave the limit out, or give one of more than ${limit} ms`)
})
