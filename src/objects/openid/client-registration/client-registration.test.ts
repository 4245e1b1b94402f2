import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { ClientRegistration as Registration } from '#contracts'
import { Body, Headers, internalExchange, Request, Uri } from '#http'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { secretsType } from '#test/changing-secrets'
import { httpUpstream } from '#test/upstream'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { Issuer } from '../issuer/issuer.ts'
import { ClientRegistration } from './client-registration.ts'

const secrets = { secret: 'a client secret', key: generateKeyPairSync('ed25519').privateKey }

const made = (config: Record<string, JsonValue>) =>
  build<Registration>(
    ClientRegistration,
    { clientId: 'portal', issuer: 'server', secretsProvider: { type: 'TestSecrets' }, ...config },
    {
      types: [Issuer, ClientHandler, secretsType(secrets)],
      heap: [
        { name: 'ClientHandler', type: 'ClientHandler' },
        { name: 'server', type: 'Issuer', config: { authorizeEndpoint: 'https://i/a', tokenEndpoint: 'https://i/t' } },
      ],
    },
  )

/** The request that a server receives when the client sends a form. */
async function sent(registration: Registration): Promise<{ authorization: string | undefined; form: URLSearchParams }> {
  const got: { authorization: string | undefined; form: URLSearchParams }[] = []
  await using server = await httpUpstream((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      got.push({
        authorization: request.headers.authorization,
        form: new URLSearchParams(Buffer.concat(chunks).toString()),
      })
      response.end()
    })
  })
  const headers = new Headers([['Content-Type', 'application/x-www-form-urlencoded']])
  const request = new Request({ method: 'POST', uri: Uri.parse(`${server.url}/token`), headers, body: Body.of('a=b') })
  const exchange = internalExchange(request)
  const response = await registration.authenticatedHandler(exchange)
  await response.body.read(1_000)
  exchange.complete()
  return got[0] as { authorization: string | undefined; form: URLSearchParams }
}

test('a public client adds nothing', async () => {
  await using built = await made({})
  const { authorization, form } = await sent(built.object)
  assert.deepEqual([authorization, form.toString()], [undefined, 'a=b'])
})

test('clientSecretId alone is client_secret_basic', async () => {
  await using built = await made({ clientSecretId: 'secret' })
  const { authorization } = await sent(built.object)
  assert.equal(Buffer.from((authorization as string).slice(6), 'base64').toString(), 'portal:a+client+secret')
})

test('tokenEndpointAuthMethod client_secret_post sends the secret in the form', async () => {
  await using built = await made({ clientSecretId: 'secret', tokenEndpointAuthMethod: 'client_secret_post' })
  const { authorization, form } = await sent(built.object)
  assert.deepEqual([authorization, form.get('client_secret'), form.get('a')], [undefined, 'a client secret', 'b'])
})

test('tokenEndpointAuthMethod private_key_jwt has the token endpoint as audience', async () => {
  await using built = await made({
    tokenEndpointAuthMethod: 'private_key_jwt',
    privateKeyJwtSecretId: 'key',
    tokenEndpointAuthSigningAlg: 'EdDSA',
  })
  const { form } = await sent(built.object)
  const [, payload = ''] = (form.get('client_assertion') as string).split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  assert.deepEqual([claims.iss, claims.sub, claims.aud], ['portal', 'portal', 'https://i/t'])
})

test('skipSignatureVerification accepts an ID token without verification', async () => {
  await using checked = await made({})
  await using skipped = await made({ skipSignatureVerification: true })
  assert.equal(typeof (await checked.object.idTokenProblem('a.b.c')), 'string')
  assert.equal(await skipped.object.idTokenProblem('a.b.c'), null)
})

for (const [name, config, message] of [
  ['no secret for client_secret_post', { tokenEndpointAuthMethod: 'client_secret_post' }, /expected a clientSecretId/],
  ['no key for private_key_jwt', { tokenEndpointAuthMethod: 'private_key_jwt' }, /expected a privateKeyJwtSecretId/],
  ['an unknown PKCE method', { pkceMethod: 'S512' }, /pkceMethod/],
  ['a refresh token without access token', { sessionContent: ['refreshToken'] }, /expected accessToken beside/],
  ['an unknown issuer', { issuer: 'missing' }, /missing/],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(
      made(config as unknown as Record<string, JsonValue>),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems), message)
        return true
      },
    )
  })
}
