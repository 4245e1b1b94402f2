import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProcessContext } from '../process-context.ts'
import type { Instance, ReleaseClient } from './release-client.ts'
import { waitForRelease } from './wait-for-release.ts'

const INSTANCE: Instance = {
  _id: 'one',
  version: '1.0.0',
  address: 'host:8080',
  labels: {},
  wanted: 2,
  served: 2,
  state: 'current',
  problems: [],
  since: '2026-11-15T09:30:00.123Z',
}

test('an instance that does not serve the release is named, with a line for each of its problems', async () => {
  const problems = [
    { file: 'config/routes/a.json', pointer: '/handler', message: 'expected a Handler' },
    { file: '', message: 'two\nlines' },
  ]
  const instances = [INSTANCE, { ...INSTANCE, _id: 'two', served: 1, state: 'failing', problems }]
  const chunks: string[] = []
  const stderr = { write: (chunk: string) => chunks.push(chunk) }
  const releases = { instances: async () => instances } as unknown as ReleaseClient
  const isServed = await waitForRelease(releases, 2, null, 0, { stderr } as unknown as ProcessContext)
  assert.equal(isServed, false)
  assert.deepEqual(chunks.join('').split('\n'), [
    'gateway: release 2 is served by 1 of 2 instances after 0 s',
    'two: failing: serves 1, wants 2',
    '  config/routes/a.json: /handler: expected a Handler',
    '  two\\u000alines',
    '',
  ])
})
