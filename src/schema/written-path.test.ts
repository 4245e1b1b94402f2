import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writtenPath } from './written-path.ts'

const CASES: readonly (readonly [path: string, withState: string, withoutState: string])[] = [
  ['logs/audit', '/state/logs/audit', '/etc/gateway/logs/audit'],
  ['/etc/gateway/logs', '/state/logs', '/etc/gateway/logs'],
  ['.', '/state', '/etc/gateway'],
  ['..logs', '/state/..logs', '/etc/gateway/..logs'],
  ['../shared', '/etc/shared', '/etc/shared'],
  ['/var/log/gateway', '/var/log/gateway', '/var/log/gateway'],
  ['/etc/gateway-2/logs', '/etc/gateway-2/logs', '/etc/gateway-2/logs'],
]

test('a written path inside the instance is moved to the state directory, any other stays', () => {
  const instance = '/etc/gateway'
  for (const [path, withState, withoutState] of CASES) {
    assert.equal(writtenPath(path, { instance, writable: '/state' }), withState, path)
    assert.equal(writtenPath(path, { instance, writable: instance }), withoutState, path)
  }
})
