import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTraceParent, readTraceState } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const PARENT = `00-${TRACE}-${SPAN}-01`

const parentOf = (...parents: string[]) => readTraceParent({ parents, states: [] })

test('traceparent of version 00 is read, and only the sampled bit of its flags counts', () => {
  assert.deepEqual(parentOf(PARENT), { traceId: TRACE, spanId: SPAN, isSampled: true, state: null })
  assert.equal(parentOf(`00-${TRACE}-${SPAN}-00`)?.isSampled, false)
  assert.equal(parentOf(`00-${TRACE}-${SPAN}-ff`)?.isSampled, true)
  assert.equal(parentOf(`00-${TRACE}-${SPAN}-02`)?.isSampled, false)
})

test('later versions of traceparent are read as far as they are known', () => {
  assert.equal(parentOf(`cc-${TRACE}-${SPAN}-01`)?.traceId, TRACE)
  assert.equal(parentOf(`cc-${TRACE}-${SPAN}-01-what-the-future-holds`)?.traceId, TRACE)
  assert.equal(parentOf(`cc-${TRACE}-${SPAN}-01what`), null)
})

test('malformed, zero, repeated or missing traceparent begins another trace', () => {
  const malformed = [
    [],
    [''],
    [PARENT, PARENT],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`${PARENT}-more`],
    [`${PARENT} `],
    [` ${PARENT}`],
    [`${PARENT}, ${PARENT}`],
    [`00-${TRACE}-${SPAN}-0g`],
    [`0-${TRACE}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}`],
    ['x'.repeat(100_000)],
    [`00-${TRACE}-${SPAN}-01\r\nX-Injected: 1`],
  ]
  for (const parents of malformed) assert.equal(parentOf(...parents), null, JSON.stringify(parents).slice(0, 80))
})

test('tracestate keeps its members in order, over several fields, without blanks and empty members', () => {
  assert.equal(readTraceState(['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE']), 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')
  assert.equal(readTraceState([' a=1 , ,\tb=2', 'c=3']), 'a=1,b=2,c=3')
  assert.equal(readTraceState(['fw529a3039@dt=FfAbCdEf;x y', '0a=/*-_']), 'fw529a3039@dt=FfAbCdEf;x y,0a=/*-_')
  assert.equal(readTraceState([]), null)
  assert.equal(readTraceState([' , ']), null)
})

test('a malformed tracestate is dropped as a whole', () => {
  const malformed = [
    'a',
    '=1',
    'A=1',
    'a=1,a=2',
    'a=b=c',
    'a= ',
    'a=é',
    `${'k'.repeat(257)}=1`,
    `a=${'v'.repeat(257)}`,
    'a@b@c=1',
    'a=1\u0000',
    Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(','),
  ]
  for (const text of malformed) assert.equal(readTraceState([text]), null, text.slice(0, 60))
})

test('tracestate is bounded: long members go first, then the last ones; one of 20 KB is not read', () => {
  const long = `long=${'x'.repeat(200)}`
  const short = Array.from({ length: 20 }, (_, n) => `k${n}=${'y'.repeat(30)}`)
  const kept = readTraceState([[long, ...short].join(',')]) ?? ''
  assert.ok(kept.length <= 512 && kept.length > 450, `${kept.length}`)
  assert.ok(kept.startsWith('k0='))
  assert.equal(readTraceState([`a=${'x'.repeat(20_000)}`]), null)
})

test('no input throws, and every accepted one is propagated as it is specified', () => {
  const text = fc.string({ unit: 'binary-ascii', maxLength: 80 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3 }), fc.array(text, { maxLength: 3 }), (parents, states) => {
      readTraceParent({ parents, states })
      const state = readTraceState(states)
      if (state !== null) assert.equal(readTraceState([state]), state)
    }),
  )
})
