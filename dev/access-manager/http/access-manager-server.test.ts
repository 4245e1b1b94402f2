import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { agentToken, basic, sendRequest } from '#test/access-manager-requests'
import { DevelopmentAccessManager } from '../development-access-manager.ts'

const PATHS = [
  '/json/serverinfo/*',
  '/json/serverinfo/version',
  '/json/authenticate',
  '/json/sessions',
  '/json/sessions/x',
  '/json/policies',
  '/json/policies/x',
  '/json/applications',
  '/oauth2/access_token',
  '/oauth2/introspect',
  '/oauth2/token/revoke',
  '/oauth2/tokeninfo',
  '/oauth2/authorize',
  '/oauth2/par',
  '/oauth2/userinfo',
  '/oauth2/connect/endSession',
  '/',
  '/UI/Logout',
]
const NAMES = [
  '_action',
  'authIndexType',
  'authIndexValue',
  'authId',
  'callbacks',
  'tokenId',
  'realm',
  'goto',
  'grant_type',
  'token',
  'client_id',
  'client_assertion',
  'client_assertion_type',
  'code',
  'request_uri',
  'id_token_hint',
  'resources',
  'subject',
  'environment',
  'condition',
  '__proto__',
]
const VALUES = [
  'evaluate',
  'create',
  'getSessionInfo',
  'updateSessionProperties',
  'composite_advice',
  '<Advices></Advices>',
  'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  'password',
  'constructor',
  'a.b.c',
]

const value = fc.oneof(fc.constantFrom(...VALUES), fc.string(), fc.json({ maxDepth: 2 }))
const fields = fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 5 })

test('any request gets a response other than 5xx', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const sessions = ['', await agentToken(manager), manager.login('amadmin'), manager.login('demo')]
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
    path: fc.constantFrom(...PATHS),
    query: fields,
    body: fields,
    isJson: fc.boolean(),
    session: fc.constantFrom(...sessions),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, body, isJson, session }) => {
      const asked = `${path}?${new URLSearchParams(query)}`
      const text = isJson ? JSON.stringify(Object.fromEntries(body)) : new URLSearchParams(body).toString()
      const answer = await sendRequest(manager, method, asked, {
        headers: {
          'Content-Type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
          ...(session === '' ? {} : { iPlanetDirectoryPro: session }),
          ...basic('client-application', 'password'),
        },
        ...(method === 'GET' ? {} : { body: text }),
      })
      assert.ok(answer.status < 500 || answer.status === 501, `${method} ${asked} ${text}: ${answer.status}`)
    }),
    { numRuns: 500 },
  )
})
