import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markContentPreserved } from '#contracts'
import { exchangeFor } from '#test/exchange'
import { loginRequired } from './login-required.ts'

test('a POST gets 401, since a redirect would lose its content, unless the content is stored', () => {
  const exchange = exchangeFor('POST', 'http://app.example/form', { body: 'a=1' })
  assert.equal(loginRequired(exchange, '/login')?.status, 401)
  markContentPreserved(exchange)
  assert.equal(loginRequired(exchange, '/login'), null)
})

test('a request of a script gets 401, also where its content is stored', () => {
  const headers = { 'Sec-Fetch-Mode': 'cors' }
  const exchange = exchangeFor('POST', 'http://app.example/form', { body: 'a=1', headers })
  markContentPreserved(exchange)
  assert.equal(loginRequired(exchange, '/login')?.status, 401)
})
