// Classes of forgerock-util and slf4j. Expected values are those of the Java classes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptOf } from '#test/evaluate-script'
import { exchangeFor } from '#test/exchange'
import { groovyValue } from '#test/groovy-script'

test('Base64 and Base64url', async () => {
  const source = `
    import org.forgerock.util.encode.*
    import static org.forgerock.util.encode.Base64.decode
    [Base64.encode('ab?>'.bytes), Base64url.encode('ab?>'.bytes), new String(Base64.decode('YWI/Pg==')), new String(Base64url.decode('YWI_Pg')),
     new String(decode('YW I/\\r\\nPg==')), Base64.decode('YWI/Pg'), Base64url.encode(new byte[0]), java.util.Base64.encoder.encodeToString('a'.bytes)]`
  const expected = ['YWI/Pg==', 'YWI_Pg', 'ab?>', 'ab?>', 'ab?>', null, '', 'YQ==']
  assert.deepEqual(await groovyValue(source), expected)
  const imported = "import org.forgerock.util.encode.Base64\nnew String(Base64.decode('dTpw')).split(':')"
  assert.deepEqual(await groovyValue(imported), ['u', 'p'])
  assert.equal(await groovyValue("Base64.encoder.encodeToString('u:p'.bytes)"), 'dTpw')
})

test('Json.readJson returns data, and throws an IOException for anything else', async () => {
  const source = `
    import static org.forgerock.http.util.Json.readJson
    def failed
    try { readJson('{') } catch (IOException e) { failed = 'refused' }
    [readJson('{"a": [1, "b", null]}').a, readJson(null), readJson('true'), failed]`
  assert.deepEqual(await groovyValue(source), [[1, 'b', null], null, true, 'refused'])
})

test('Json.writeJson returns the bytes of data, forms and JsonValues', async () => {
  const source = `
    import org.forgerock.http.util.Json
    def form = new Form()
    form.add('error', 'invalid_scope')
    [[a: [1, 5L, 'é', null]], form, new JsonValue([b: true]), null].collect { new String(Json.writeJson(it), 'UTF-8') }`
  assert.deepEqual(await groovyValue(source), [
    '{"a":[1,5,"é",null]}',
    '{"error":["invalid_scope"]}',
    '{"b":true}',
    'null',
  ])
})

test('listOf converts the elements of a JsonValue', async () => {
  const source = `
    import static org.forgerock.openig.util.JsonValues.listOf
    import org.forgerock.json.JsonValueFunctions
    def value = new JsonValue([names: ['a', 'b'], maps: [[c: 1]], one: 'x'])
    [value.get('names').as(listOf(JsonValue::asString)), value.get('maps').as(listOf(JsonValue::asMap)).get(0).c,
     value.get('names').as(JsonValueFunctions.listOf { it.asString() + '!' }), value.get('one').as(listOf(JsonValue::asString)),
     value.get('none').as(listOf(JsonValue::asString))]`
  assert.deepEqual(await groovyValue(source), [['a', 'b'], 1, ['a!', 'b!'], null, null])
})

test('closeSilently ignores null and IOExceptions', async () => {
  const source = `
    import static org.forgerock.util.Closeables.*
    class Broken implements Closeable { void close() { throw new IOException('x') } }
    class Open implements Closeable { int closed; void close() { closed++ } }
    def open = new Open()
    closeSilently(request)
    closeSilently(null, new Broken(), open)
    closeSilentlyAsync(open).run()
    open.closed`
  assert.equal(await groovyValue(source), 2)
})

test('the content of a message can be read as a stream', async () => {
  const exchange = exchangeFor('POST', 'http://app.example.com/')
  exchange.request.headers.set('Content-Type', 'application/json')
  const source = `
    request.entity.string = '{"a": "ä"}'
    [new groovy.json.JsonSlurper().parse(request.entity.newDecodedContentInputStream()).a, request.entity.newDecodedContentInputStream().text]`
  assert.deepEqual(await groovyValue(source, { exchange }), ['ä', '{"a": "ä"}'])
})

test('a logger of LoggerFactory, System.out and System.err write to the log of the script', async () => {
  const script = scriptOf(
    `import org.slf4j.*
     class Tokens { static final Logger LOG = LoggerFactory.getLogger(Tokens); static log() { LOG.warn('in {}', 'class') } }
     Logger log = LoggerFactory.getLogger('com.acme.Filter')
     log.info('hello {}', 1)
     Tokens.log()
     System.out.println 'out'
     System.err.printf('%s!', 'err')
     log === logger`,
    { language: 'groovy' },
  )
  assert.equal(await script.evaluate('json'), true)
  assert.deepEqual(
    script.log.entries.map(({ level, message }) => `${level}: ${message}`),
    ['info: hello 1', 'warn: in class', 'info: out', 'info: err!'],
  )
})

test('loggers of one evaluation share its number of entries', async () => {
  const script = scriptOf("1200.times { org.slf4j.LoggerFactory.getLogger('a').info('x') }", { language: 'groovy' })
  await script.evaluate('json')
  assert.equal(script.log.entries.length, 1_000)
})
