// -Dorg.forgerock.http.TrustTransactionHeader=true in JAVA_OPTS, as operators of OpenIG and PingGateway have it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayProcess } from '#test/gateway-process'

const HEADER = 'X-ForgeRock-TransactionId'
const HANDLER = {
  type: 'StaticResponseHandler',
  config: {
    status: 200,
    headers: { 'Content-Type': ['text/plain'] },
    entity: '${contexts.transactionId.transactionId.value}',
  },
}

test('the property in JAVA_OPTS trusts the transaction ids of clients; without it they are replaced', async () => {
  for (const trusted of [true, false]) {
    const JAVA_OPTS = `-Xmx512m -Dorg.forgerock.http.TrustTransactionHeader=${trusted}`
    await using gateway = await GatewayProcess.start({ env: { JAVA_OPTS }, routes: { all: { handler: HANDLER } } })
    // Requests do not define properties.
    const headers = { [HEADER]: 'from-client', 'org.forgerock.http.TrustTransactionHeader': 'true' }
    const response = await fetch(`http://127.0.0.1:${gateway.port}/`, { headers })
    const id = await response.text()
    assert.equal(id === 'from-client', trusted, id)
    assert.equal(response.headers.get(trusted ? HEADER : 'X-Vendor-TransactionId'), id)
  }
})
