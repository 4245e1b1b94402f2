import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoginRedirectContext, type ResourceUriProvider } from '#contracts'
import { respond, Uri } from '#http'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { RequestResourceUriProvider } from './request-resource-uri-provider.ts'

test('the query is part of the resource unless includeQueryParams is false', async () => {
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

test('useOriginalUri: the URI of the client, before baseURI and filters, without parameters of the gateway', async () => {
  await using built = await build<ResourceUriProvider>(RequestResourceUriProvider, { useOriginalUri: true })
  await using short = await build<ResourceUriProvider>(RequestResourceUriProvider, {
    useOriginalUri: true,
    includeQueryParams: false,
  })
  const exchange = exchangeFor('GET', 'https://public.example/a?x=1&_txid=6f2c&_advice=t1.0123456789012345678901&y')
  exchange.request.uri = Uri.parse('http://internal:8080/rewritten')
  assert.equal(await built.object.resourceUri(exchange), 'https://public.example/a?x=1&y')
  assert.equal(await short.object.resourceUri(exchange), 'https://public.example/a')
  assert.equal(exchange.originalUri.rawQuery?.startsWith('x=1&_txid'), true)
  const marked = exchange.with(LoginRedirectContext, {
    begin: () => respond(302),
    stripMarker: (uri) => {
      uri.rawQuery = 'without=marker'
    },
  })
  assert.equal(await built.object.resourceUri(marked), 'https://public.example/a?without=marker')
})

test('refused: values other than booleans', async () => {
  await assert.rejects(build(RequestResourceUriProvider, { includeQueryParams: 'maybe' }))
})
