import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkProtocolResponse, type ResponseForm } from './protocol-response.ts'
import { ServerUnreachableError } from './server-unreachable-error.ts'

const check = (form: ResponseForm, status: number, type: string, text: string) => () =>
  checkProtocolResponse(form, status, type, Buffer.from(text))

const TAKEN: readonly [ResponseForm, number, string, string][] = [
  ['json', 200, 'application/json', '{"access_token":"a"}'],
  ['json', 201, 'application/json; charset=utf-8', '{"request_uri":"urn:x"}'],
  ['json', 400, 'application/json', '{"error":"invalid_grant"}'],
  ['json', 401, 'Application/JSON', '{"error":"invalid_client"}'],
  ['user info', 200, 'application/json', '{"sub":"demo"}'],
  ['user info', 200, 'application/jwt', 'a.b.c'],
  ['user info', 401, '', ''],
  ['user info', 403, 'application/json', '{"error":"insufficient_scope"}'],
  ['empty', 200, '', ''],
  ['empty', 400, 'application/json', '{"error":"unsupported_token_type"}'],
]

const UNAVAILABLE: readonly [ResponseForm, number, string, string][] = [
  ['json', 200, 'text/html', '<html>Please wait</html>'],
  ['json', 400, 'text/html', '<html>Bad Request</html>'],
  ['json', 400, 'application/json', '{"message":"no Route matched with those values"}'],
  ['json', 400, 'application/json', '<html>'],
  ['json', 201, 'application/json', '{"request_uri":"urn:x","request_uri":"urn:y"}'],
  ['json', 401, 'application/json', '["error"]'],
  ['json', 302, 'application/json', '{"error":"invalid_grant"}'],
  ['json', 408, 'application/json', '{"error":"invalid_grant"}'],
  ['json', 429, 'application/json', '{"error":"invalid_grant"}'],
  ['json', 503, 'application/json', '{"error":"invalid_grant"}'],
  ['user info', 200, 'text/html', '<html>'],
  ['user info', 401, 'text/html', '<html>Log in to the proxy</html>'],
  ['user info', 404, '', ''],
  ['empty', 502, '', ''],
  ['empty', 400, 'text/html', '<html>'],
]

test('responses of the protocol are accepted', () => {
  for (const [form, status, type, text] of TAKEN)
    assert.doesNotThrow(check(form, status, type, text), `${form} ${text}`)
})

test('any other response counts as unavailable server, with any status', () => {
  for (const [form, status, type, text] of UNAVAILABLE)
    assert.throws(check(form, status, type, text), ServerUnreachableError, `${form} ${status} ${text}`)
})
