import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configTrailPlan } from '#audit'
import { type Collection, Refusal } from '#crest'
import type { AuditPlan, HandlerPlan } from '#schema'
import { AuditQueries } from './audit-queries.ts'

const QUEUE = { maxEvents: 8, maxBytes: 1_048_576, onFull: 'drop', maxBlockTime: 0, spool: null } as const

const json = (name: string, ...topics: string[]): HandlerPlan => ({
  name,
  position: 0,
  topics,
  format: 0,
  transport: { type: 'file', ...configTrailPlan(`/${name}`) },
  queue: QUEUE,
  supportsQueries: true,
})

const stdout = (name: string, ...topics: string[]): HandlerPlan => ({
  ...json(name, ...topics),
  transport: { type: 'stdout' },
  supportsQueries: false,
})

const OWN = { own: 'trail' } as unknown as Collection

function queries(handlers: readonly HandlerPlan[], handlerForQueries: string | null = null): AuditQueries {
  const queriedService: AuditPlan = { service: 'gateway+AuditService', handlers, handlerForQueries }
  return new AuditQueries(new Map([['config', OWN]]), { queriedService })
}

/** Why a topic can not be queried. */
function refused(asked: AuditQueries, topic: string): string {
  const found = asked.find(topic)
  assert.ok(found instanceof Refusal, `${topic} can be queried`)
  assert.equal(found.status, 501)
  return found.message
}

test('by default each topic has the first handler that can be queried and takes it', () => {
  const asked = queries([stdout('out', 'access', 'payment'), json('a', 'config'), json('b', 'access')])
  assert.deepEqual([...asked.topics.keys()], ['config', 'access'])
  assert.equal(asked.find('config'), OWN)
  assert.equal(asked.find('access'), asked.topics.get('access'))
  assert.equal(
    refused(asked, 'payment'),
    'no event handler of the topic supports queries; configure a JsonAuditEventHandler of the format common for the topic',
  )
  assert.equal(asked.find('nothing'), null)
})

test('handlerForQueries is queried, and no other', () => {
  const asked = queries([json('a', 'access', 'payment'), json('b', 'access')], 'b')
  assert.deepEqual([...asked.topics.keys()], ['config', 'access'])
  assert.equal(
    refused(asked, 'payment'),
    'the event handler "b" does not take this topic; "a" can be queried: name it in handlerForQueries of the audit service',
  )
})

test('a handler that can not be queried gives a refusal that names one that can', () => {
  const handlers = [stdout('out', 'access', 'payment'), json('file', 'access')]
  const able = '"file" can be queried: name it in handlerForQueries of the audit service'
  assert.equal(refused(queries(handlers, 'out'), 'access'), `the event handler "out" does not support queries; ${able}`)
  assert.equal(refused(queries(handlers, 'off'), 'access'), `the event handler "off" is disabled; ${able}`)
  assert.equal(
    refused(queries(handlers, 'out'), 'payment'),
    'the event handler "out" does not support queries; configure a JsonAuditEventHandler of the format common for the topic and name it in handlerForQueries of the audit service',
  )
})
