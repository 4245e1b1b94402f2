import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectEndpoint } from '#schema'
import { ObjectEndpoints } from './object-endpoints.ts'

const collection =
  (id: string): ObjectEndpoint =>
  async () => ({ resources: [{ id, content: {} }] })

test('the newest version of an object serves its endpoint, and the older one again where the newer is discarded', async () => {
  const endpoints = new ObjectEndpoints()
  const stopOld = endpoints.add('gateway+_router+photos+UmaService', 'share', collection('old'))
  const stopNew = endpoints.add('gateway+_router+photos+UmaService', 'share', collection('new'))
  const served = async () => {
    const result = await endpoints.call('gateway+_router+photos+umaservice', 'share', { verb: 'list' })
    return result !== null && 'resources' in result ? result.resources[0]?.id : null
  }
  assert.equal(await served(), 'new')
  stopNew()
  assert.equal(await served(), 'old')
  stopOld()
  assert.equal(await served(), null)
})

test('an unknown object or endpoint has no response', async () => {
  const endpoints = new ObjectEndpoints()
  endpoints.add('gateway+service', 'share', collection('one'))
  assert.equal(await endpoints.call('gateway+other', 'share', { verb: 'list' }), null)
  assert.equal(await endpoints.call('gateway+service', 'shares', { verb: 'list' }), null)
})
