import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceUriProvider } from '#contracts'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { RequestResourceUriProvider } from './request-resource-uri-provider.ts'

test('the query belongs to the resource unless it is left out', async () => {
  await using whole = await build<ResourceUriProvider>(RequestResourceUriProvider, {})
  await using without = await build<ResourceUriProvider>(RequestResourceUriProvider, { includeQueryParams: false })
  for (const [url, withQuery, withoutQuery] of [
    [
      'https://app.example:8443/a/b?x=1&y=%20',
      'https://app.example:8443/a/b?x=1&y=%20',
      'https://app.example:8443/a/b',
    ],
    ['http://app.example', 'http://app.example/', 'http://app.example/'],
    ['http://app.example/?', 'http://app.example/', 'http://app.example/'],
    ['http://app.example/a%2Fb', 'http://app.example/a%2Fb', 'http://app.example/a%2Fb'],
  ] as const) {
    assert.equal(await whole.object.resourceUri(exchangeFor('GET', url)), withQuery)
    assert.equal(await without.object.resourceUri(exchangeFor('GET', url)), withoutQuery)
  }
})

test('refused: what is no boolean', async () => {
  await assert.rejects(build(RequestResourceUriProvider, { includeQueryParams: 'maybe' }))
})
