import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Handler, respond } from '#http'
import { groovyValue } from '#test/groovy-script'

const clientHandler: Handler = async ({ request }) => {
  if (request.uri.path === '/gone') return respond(404, {}, 'nothing')
  await request.body.read(1_000)
  return respond(
    201,
    { 'X-A': 'b' },
    `${request.method} ${request.uri} ${request.headers.get('x-in')} ${request.body.text()}`,
  )
}

test('a URL is read through the client handler', async () => {
  assert.equal(
    await groovyValue("new URL('http://x.example.com/p?q=1').text", { clientHandler }),
    'GET http://x.example.com/p?q=1 null ',
  )
  assert.match(
    String(await groovyValue("new URL('http://x.example.com/gone').text", { clientHandler })),
    /FileNotFoundException: http:\/\/x\.example\.com\/gone/,
  )
  assert.match(String(await groovyValue("new URL('file:///etc/passwd').text")), /unknown protocol: file/)
})

test('the content of a connection is read by readers and parsers, and written by writers', async () => {
  const source = `
    HttpURLConnection connection = (HttpURLConnection) new URL('http://x.example.com/p').openConnection()
    connection.setRequestMethod('POST')
    def writer = new OutputStreamWriter(connection.getOutputStream(), 'UTF-8')
    writer.write('{"a":')
    writer.flush()
    new DataOutputStream(connection.outputStream).writeBytes('1}')
    def reader = new BufferedReader(new InputStreamReader(connection.getInputStream()))
    def text = new StringBuilder()
    String line
    while ((line = reader.readLine()) != null) text.append(line)
    def json = new groovy.json.JsonSlurper().parse(new StringReader(text.substring(text.indexOf('{'))))
    [json.a, new URL('http://x.example.com/q').openConnection().inputStream.withReader { it.readLine() }]`
  assert.deepEqual(await groovyValue(source, { clientHandler }), [1, 'GET http://x.example.com/q null '])
})

test('a connection sends the written body when its response is read', async () => {
  const source = `
    def connection = new URL('http://x.example.com/p').openConnection() as HttpURLConnection
    connection.requestMethod = 'PUT'
    connection.doOutput = true
    connection.setRequestProperty('X-In', 'i')
    connection.outputStream.write('body'.getBytes('UTF-8'))
    connection.outputStream.withWriter { it << ' more' }
    [connection.responseCode, connection.inputStream.text, connection.getHeaderField('X-A')]`
  assert.deepEqual(await groovyValue(source, { clientHandler }), [201, 'PUT http://x.example.com/p i body more', 'b'])
  const failed = `
    def c = new URL('http://x.example.com/gone').openConnection()
    [c.responseCode, c.errorStream.text]`
  assert.deepEqual(await groovyValue(failed, { clientHandler }), [404, 'nothing'])
})
