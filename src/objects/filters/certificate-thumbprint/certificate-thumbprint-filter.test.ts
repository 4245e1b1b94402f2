import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CertificateThumbprintContext, HandlerKind } from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import type { JsonValue } from '#json'
import { defineType } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { testIdentity } from '#test/test-identity'
import { CertificateThumbprintFilter } from './certificate-thumbprint-filter.ts'

const { certificate } = testIdentity('client')
const HEADER = "${pemCertificate(urlDecode(request.headers['ssl_client_cert'][0]))}"

const Teapot = defineType({
  name: 'Teapot',
  kind: HandlerKind,
  summary: 'Answers 418.',
  config: {},
  create: (): Handler => async () => respond(418),
})

async function pass(config: JsonValue, headers: Record<string, string> = {}) {
  await using built = await build<Filter>(CertificateThumbprintFilter, config, { types: [Teapot] })
  const seen: (string | null)[] = []
  const response = await built.object(exchangeFor('GET', 'http://app.example/', { headers }), async (exchange) => {
    seen.push(exchange.context(CertificateThumbprintContext)?.thumbprint ?? null)
    return respond(200)
  })
  return { response, seen }
}

test('the thumbprint is the SHA-256 of the certificate in base64url', async () => {
  const headers = { ssl_client_cert: encodeURIComponent(certificate.toString()) }
  const { response, seen } = await pass({ certificate: HEADER }, headers)
  assert.equal(response.status, 200)
  assert.deepEqual(seen, [createHash('sha256').update(certificate.raw).digest('base64url')])
})

const without: readonly [string, string, Record<string, string>][] = [
  ['no header', HEADER, {}],
  ['a header that is no certificate', HEADER, { ssl_client_cert: 'x' }],
  ['a damaged certificate', HEADER, { ssl_client_cert: encodeURIComponent(certificate.toString().replace('M', 'N')) }],
  ['an expression that gives text', "${request.headers['ssl_client_cert'][0]}", { ssl_client_cert: 'x' }],
  ['an expression that gives nothing', '${contexts.client.certificates[0]}', {}],
  ['an expression that fails', '${request.method - 1}', {}],
]

for (const [what, expression, headers] of without) {
  test(`${what} is rejected, by the failure handler if configured`, async () => {
    const { response, seen } = await pass({ certificate: expression }, headers)
    assert.equal(response.status, 403)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(seen, [])
    const handled = await pass({ certificate: expression, failureHandler: { type: 'Teapot' } }, headers)
    assert.equal(handled.response.status, 418)
  })
}

test('refuses a configuration without the expression', async () => {
  await assert.rejects(build(CertificateThumbprintFilter, {}), {
    message: '/heap/0/config/certificate: expected an expression; this field is required',
  })
})
