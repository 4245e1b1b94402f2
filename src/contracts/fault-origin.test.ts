import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chain, type Filter, type Handler, respond } from '#http'
import { exchangeFor } from '#test/exchange'
import { attributedFilter, attributedHandler, faultOrigin } from './fault-origin.ts'

const pass: Filter = (exchange, next) => next(exchange)
const later: Handler = async () => {
  await null
  throw new Error('late')
}
const atOnce: Handler = () => {
  throw new Error('at once')
}

const origin = async (handler: Handler): Promise<string | null> => {
  const error = await Promise.resolve()
    .then(() => handler(exchangeFor('GET', 'http://a.example/')))
    .then(
      () => assert.fail('it should fail'),
      (reason: unknown) => reason,
    )
  return faultOrigin(error)
}

test('the origin of a fault is the innermost object that threw it', async () => {
  for (const handler of [later, atOnce]) {
    const filters = [attributedFilter(pass, 'outer'), attributedFilter(pass, 'inner')]
    assert.equal(await origin(chain(filters, attributedHandler(handler, 'handler'))), 'handler')
  }
  const failing: Filter = async () => {
    throw new Error('mine')
  }
  assert.equal(
    await origin(chain([attributedFilter(pass, 'outer'), attributedFilter(failing, 'inner')], later)),
    'inner',
  )
})

test('an error from outside of objects, and a thrown value that is no error, have no origin', async () => {
  assert.equal(faultOrigin(new Error('x')), null)
  assert.equal(faultOrigin('text'), null)
  const odd: Handler = async () => Promise.reject('text')
  assert.equal(await origin(attributedHandler(odd, 'handler')), null)
})

test('the promise of a handler is returned unwrapped', async () => {
  const response = Promise.resolve(respond(204))
  assert.equal(attributedHandler(() => response, 'handler')(exchangeFor('GET', 'http://a.example/')), response)
})
