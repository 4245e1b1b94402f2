import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { Certificate } from '#expression'
import { transientSession } from '#http'
import { Authority, opensslMissing } from '#test/certificates'
import { exchangeFor } from '#test/exchange'
import { auditUser } from './audit-user.ts'

test('the subject of the client certificate is the user of a request without another', { skip: opensslMissing }, () => {
  using authority = new Authority()
  const { certificate } = authority.issue({ name: 'device-7' })
  const certificates = [certificate, authority.certificate].map((pem) => new Certificate(new X509Certificate(pem)))
  const exchange = exchangeFor('GET', 'https://app.test/', { client: { certificates } })
  assert.equal(auditUser(exchange), 'CN=device-7')
  const session = transientSession()
  session.set('username', 'ada')
  assert.equal(auditUser(exchange.withSession(session)), 'ada')
  assert.equal(auditUser(exchangeFor('GET', 'https://app.test/')), null)
})
