// Credentials in requests through a gateway with maximal logging: none may be in logs, metrics or responses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayProcess } from '#test/gateway-process'
import { managing, ROUTES } from '#test/management'
import { sendRequest } from '#test/send-request'
import { httpUpstream } from '#test/upstream'

const secret = (name: string) => `hidden-${name}-7d1f`
const PASSWORD = secret('admin-password')
const sent = {
  bearer: secret('bearer'),
  basic: Buffer.from(`user:${secret('basic')}`).toString('base64'),
  cookie: secret('cookie'),
  form: secret('form-password'),
  assertion: secret('client-assertion'),
  query: secret('query-token'),
}
const answered = { cookie: secret('set-cookie'), token: secret('access-token'), refresh: secret('refresh-token') }

test('B85: at the lowest level of the log, with everything captured, no credential is in the log, an error, the metrics, the audit trail or a descriptor', async () => {
  await using upstream = await httpUpstream((request, response) => {
    request.resume()
    request.on('end', () => {
      response.setHeader('Set-Cookie', `id=${answered.cookie}; HttpOnly`)
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ access_token: answered.token, refresh_token: answered.refresh, kept: 'visible' }))
    })
  })
  const heap = [{ name: 'capture', type: 'CaptureDecorator', config: { captureEntity: true, captureContext: true } }]
  const handler = { type: 'ReverseProxyHandler', capture: 'all' }
  await using gateway = await GatewayProcess.start({
    admin: { logging: { level: 'trace' } },
    files: { 'secrets/gateway.admin.password': PASSWORD },
    routes: {
      up: { heap, condition: `\${find(request.uri.path, '^/up')}`, baseURI: upstream.url, handler },
      // A port without a listener.
      down: { heap, condition: `\${find(request.uri.path, '^/down')}`, baseURI: 'http://127.0.0.1:1', handler },
    },
  })
  const data = `http://127.0.0.1:${gateway.port}`
  const errors: string[] = []
  for (const authorization of [`Bearer ${sent.bearer}`, `Basic ${sent.basic}`]) {
    for (const path of ['/up', '/down', '/nowhere']) {
      const { text, status } = await sendRequest(`${data}${path}?access_token=${sent.query}`, {
        method: 'POST',
        headers: {
          Authorization: authorization,
          Cookie: `sid=${sent.cookie}`,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: `password=${sent.form}&client_assertion=${sent.assertion}`,
      })
      if (status >= 400) errors.push(text)
    }
  }
  assert.equal(errors.length, 4)

  const manage = managing(`http://127.0.0.1:${gateway.adminPort}`, { headers: { Authorization: `Bearer ${PASSWORD}` } })
  await manage('PUT', `${ROUTES}/new`, { body: { handler: { type: sent.form } } })
  const places = ['/metrics/prometheus', '/metrics/api?_queryFilter=true', '/api/audit/config?_queryFilter=true']
  const answers: string[] = []
  for (const path of [...places, `${ROUTES}?_crestapi`, `${ROUTES}?_api`, '/api/info', '/health/ready?verbose']) {
    const { status, text } = await manage('GET', path)
    assert.equal(status, 200, path)
    answers.push(text)
  }
  gateway.kill('SIGTERM')
  await gateway.exit

  const log = gateway.log.lines.join('\n')
  // The captured messages are in the log, so that the search below is not vacuous.
  assert.match(log, /visible/)
  const all = [log, gateway.errors, ...errors, ...answers].join('\n')
  const found = [PASSWORD, ...Object.values(sent), ...Object.values(answered)].filter((each) => all.includes(each))
  assert.deepEqual(found, [])
})
