// Expected values are those of the classes of OpenIG, where they are not explained otherwise.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Response } from '#http'
import { groovyValue } from '#test/groovy-script'

/** The values of expressions, as text; exceptions by their class and message. */
async function values(imports: string, expressions: readonly string[]): Promise<unknown> {
  const rows = expressions.map((each) => `t { ${each} }`).join(',\n')
  const source = `${imports}
    def t = { c -> try { String.valueOf((Object) c()) } catch (Exception e) { e.class.simpleName + ': ' + e.message } }
    [${rows}]`
  const found = await groovyValue(source)
  assert.ok(Array.isArray(found), String(found))
  return Object.fromEntries(found.map((each, at) => [expressions[at], each]))
}

const expect = async (imports: string, expected: Readonly<Record<string, string>>): Promise<void> =>
  assert.deepEqual(await values(imports, Object.keys(expected)), expected)

test('a status of a known code is one object, whatever its reason', async () => {
  await expect('', {
    'Status.OK === Status.valueOf(200)': 'true',
    'Status.OK.is(Status.valueOf(200))': 'true',
    'new Response(Status.FOUND).status !== Status.FOUND': 'false',
    "Status.valueOf(302, 'Moved Temporarily') === Status.FOUND": 'true',
    "Status.valueOf(302, 'Moved Temporarily')": '[Status: 302 Found]',
    'Status.valueOf(299)': '[Status: 299 unknown]',
    "Status.valueOf(299, 'Odd')": '[Status: 299 Odd]',
    'Status.valueOf(299) == Status.valueOf(299)': 'true',
    '[Status.TEAPOT, Status.UNUSED, Status.NON_AUTHORITATIVE_INFO]*.code': '[418, 306, 203]',
    'Status.TEAPOT === Status.IM_A_TEAPOT': 'true',
    'Status.valueOf(99)': 'IllegalArgumentException: a status is from 100 to 999, not 99',
    'Status.OK.family === Status.Family.SUCCESSFUL': 'true',
    "Status.Family.valueOf('SUCCESSFUL') === Status.Family.valueOf(204)": 'true',
    "Status.Family.valueOf('GOOD')":
      'IllegalArgumentException: No enum constant org.forgerock.http.protocol.Status$Family.GOOD',
  })
})

test('a status of a server is the constant of its code, whatever its reason', async () => {
  const next = async () => new Response(302, { reason: 'Moved Temporarily' })
  const source = "next.handle(context, request).then { it.status !== Status.FOUND ? 'error' : 'found' }.get()"
  assert.equal(await groovyValue(source, { next }), 'found')
})

test('Uris encodes and decodes each part, and needs no import', async () => {
  const text = "'a b&c=d/ü?+'"
  await expect('', {
    [`Uris.urlEncodeQueryParameterNameOrValue(${text})`]: 'a%20b%26c%3Dd/%C3%BC?%2B',
    "Uris.urlEncodePathElement('a b&c=d/ü?+;%')": 'a%20b&c=d%2F%C3%BC%3F+;%25',
    [`Uris.urlEncodeFragment(${text})`]: 'a%20b&c=d/%C3%BC?+',
    "Uris.urlEncodeUserInfo('a b&c=d/ü?+@:')": 'a%20b&c=d%2F%C3%BC%3F+%40:',
    "Uris.formEncodeParameterNameOrValue('a b&c=d/ü?+*~')": 'a+b%26c%3Dd%2F%C3%BC%3F%2B*%7E',
    "Uris.urlDecodeQueryParameterNameOrValue('a%20b+c%C3%BC')": 'a b cü',
    "Uris.urlDecodePathElement('a%20b+c')": 'a b+c',
    "Uris.formDecodeParameterNameOrValue('a%20b+c')": 'a b c',
    "Uris.urlDecodeFragment('a%20b+c')": 'a b+c',
    "Uris.urlDecodeUserInfo('a%20b+c')": 'a b+c',
    "Uris.urlDecodePathElement('%zz')": "IllegalArgumentException: Path contains an invalid percent encoding 'zz'",
    "Uris.urlDecodePathElement('%2')": 'IllegalArgumentException: Path contains an incomplete percent encoding',
    'Uris.urlDecodePathElement(null)': 'null',
  })
})

test('Uris makes URIs', async () => {
  await expect('', {
    "Uris.withQuery(new URI('http://u@h:8/p?old#f'), new Form().add('x', '1 2').add('y', 'z'))":
      'http://u@h:8/p?x=1%202&y=z#f',
    "Uris.withoutQueryAndFragment(new URI('http://u@h:8/p%20q?old#f'))": 'http://u@h:8/p%20q',
    "Uris.rebase(new URI('http://h:8/p?old#f'), new URI('https://n:9/zz'))": 'https://n:9/p?old#f',
    "Uris.rebase(new URI('http://h:8/p'), null)": 'http://h:8/p',
    "Uris.create('http', null, 'h', -1, '/p', 'q=1', null)": 'http://h/p?q=1',
    "Uris.createNonStrict('http', null, 'h', 8, '/p', 'q=\"1\"', 'f')": 'http://h:8/p?q=%221%22#f',
    "try { Uris.create('http', null, 'h', -1, '/p', '\"', null) } catch (URISyntaxException e) { 'invalid' }":
      'invalid',
    'Uris.withQuery(request.uri, new Form()).class.simpleName': 'URI',
  })
})

test('Form keeps names without a value of a query, and not of content', async () => {
  await expect('', {
    "new Form().fromQueryString('a&b=1&c=')": '{a=[null], b=[1], c=[]}',
    "new Form().fromFormString('a&b=1&c=')": '{b=[1], c=[]}',
    "new Form().fromString('a&b=1&c=')": '{b=[1], c=[]}',
    "request.uri = 'http://h/p?a&b=1'; [request.form, request.queryParams]": '[{a=[null], b=[1]}, {a=[null], b=[1]}]',
    "new Form().fromQueryString('a&b=1').toQueryString()": 'a&b=1',
  })
})

test('a Form as content is urlencoded, and a map is JSON', async () => {
  const content = 'def r = new Request(); r.entity = VALUE; [r.entity.string, r.headers.getFirst("Content-Type")]'
  await expect('', {
    [content.replace('VALUE', "new Form().add('a', '1 &').add('a', '2')")]:
      '[a=1+%26&a=2, application/x-www-form-urlencoded]',
    "def r = new Request().setEntity(new Form().add('a', '1')); r.entity.form.getFirst('a')": '1',
    [content.replace('VALUE', "[a: ['1']]")]: '[{"a":["1"]}, application/json; charset=UTF-8]',
  })
})

test('JsonPointer', async () => {
  await expect('import org.forgerock.json.JsonPointer\nimport static org.forgerock.json.JsonPointer.ptr', {
    "new JsonPointer('a/b')": '/a/b',
    "new JsonPointer('/a/b').child('c')": '/a/b/c',
    "new JsonPointer('/a').child(3)": '/a/3',
    "new JsonPointer('/a/b').parent()": '/a',
    "new JsonPointer('/a/b').leaf()": 'b',
    "new JsonPointer('/a/b').size()": '2',
    "new JsonPointer('').isEmpty()": 'true',
    "new JsonPointer('')": '/',
    "new JsonPointer('').parent()": 'null',
    "new JsonPointer('').leaf()": 'null',
    "new JsonPointer('/a/b/c').relativePointer()": '/b/c',
    "new JsonPointer('/a/b/c').relativePointer(1)": '/c',
    "new JsonPointer('/a') == new JsonPointer('a')": 'true',
    "new JsonPointer('/a', 'b/c')": '/%2Fa/b%2Fc',
    "new JsonPointer('/a', 'b/c').toString() == new JsonPointer(new JsonPointer('/a', 'b/c').toString()).toString()":
      'true',
    "new JsonPointer('/a/b').get(1)": 'b',
    "new JsonPointer('/a/b').get(2)": 'IndexOutOfBoundsException: Index 2 out of bounds for length 2',
    "new JsonPointer('/a/b').collect { it }": '[a, b]',
    "new JsonPointer('/a/b').toArray().toList()": '[a, b]',
    "ptr('/x/y').leaf()": 'y',
  })
})

test('JsonValue reads and changes members by pointers', async () => {
  const imports = `import org.forgerock.json.*
    def v = JsonValue.json([a: [b: [1, 2]]])`
  await expect(imports, {
    "v.get(new JsonPointer('/a/b/1')).asInteger()": '2',
    "v.get(new JsonPointer('/a/x/1')).isNull()": 'true',
    "v.get('a').get('b').getPointer()": '/a/b',
    "v.put(new JsonPointer('/a/c'), 3)": '{ "a": { "b": [ 1, 2 ], "c": 3 } }',
    "v.put(new JsonPointer('/q/c'), 3)": 'JsonValueException: /q: Expecting a value, found null',
    "v.putPermissive(new JsonPointer('/q/c'), 3)": '{ "a": { "b": [ 1, 2 ], "c": 3 }, "q": { "c": 3 } }',
    "v.add(new JsonPointer('/a/b/0'), 9)": '{ "a": { "b": [ 9, 1, 2 ], "c": 3 }, "q": { "c": 3 } }',
    "v.add(new JsonPointer('/a/b/-'), 8)": '{ "a": { "b": [ 9, 1, 2, 8 ], "c": 3 }, "q": { "c": 3 } }',
    "v.remove(new JsonPointer('/a/b/0')); v.get('a').get('b')": '[ 1, 2, 8 ]',
    "v.get('a').get('b').remove(0); v.a.b.asList(Integer)": '[2, 8]',
    "v.add(new JsonPointer('/a/b/7'), 1)": 'JsonValueException: /a/b/7: Expecting an index, found null',
    "v.get('zz').required()": 'JsonValueException: /zz: Expecting a value, found null',
    'v.a.b[1].asInteger()': '8',
    "JsonValue.json([a: [:], b: [], c: 'x\"y', d: null, e: 1.50]).toString()":
      '{ "a": {  }, "b": [  ], "c": "x\\"y", "d": null, "e": 1.50 }',
  })
})

test('ContentTypeHeader', async () => {
  await expect(
    `import org.forgerock.http.header.*
    def x = ContentTypeHeader.valueOf('text/html; charset=utf-8; boundary="a b"; x=y')`,
    {
      '[x.type, x.charset, x.boundary, x.additionalParameters.x, x.name]': '[text/html, UTF-8, a b, y, Content-Type]',
      "new ContentTypeHeader('application/json', 'UTF-8', null).firstValue": 'application/json; charset=UTF-8',
      "new ContentTypeHeader('multipart/form-data', null, 'xx', [a: 'b']).values":
        '[multipart/form-data; boundary=xx; a=b]',
      "new ContentTypeHeader('text/html', [charset: 'utf-8']).values": '[text/html; charset=utf-8]',
      "new ContentTypeHeader('text/html', [:]).firstValue": 'text/html',
      'new ContentTypeHeader().with { [type, charset, firstValue, values] }': '[null, null, null, []]',
      "ContentTypeHeader.valueOf('text/html; charset=nope').charset": 'UnsupportedCharsetException: nope',
      'ContentTypeHeader.NAME + LocationHeader.NAME + SetCookieHeader.NAME': 'Content-TypeLocationSet-Cookie',
    },
  )
})

test('headers with one value or a list', async () => {
  await expect('import org.forgerock.http.header.*', {
    "ContentLengthHeader.valueOf('12').with { [length, values] }": '[12, [12]]',
    "ContentLengthHeader.valueOf('abc').with { [length, values] }": '[-1, []]',
    'new ContentLengthHeader(5L).firstValue': '5',
    "new LocationHeader('http://x/y').with { [locationUri, values, name] }": '[http://x/y, [http://x/y], Location]',
    "LocationHeader.valueOf('').locationUri": 'null',
    "ConnectionHeader.valueOf('close, X-A').tokens": '[close, X-A]',
    "ContentEncodingHeader.valueOf('gzip, br').codings": '[gzip, br]',
  })
})

test('maps of headers find names in any spelling', async () => {
  const copy =
    "def h = new Headers(); h.put('X-M', ['1', '2']); h.put('Host', 'a'); def m = h.copyAsMultiMapOfStrings();"
  await expect('', {
    [`${copy} m`]: '{Host=[a], X-M=[1, 2]}',
    [`${copy} [m['X-M'], m.get('x-m'), m.HOST, m.containsKey('hOsT'), m.none]`]: '[[1, 2], [1, 2], [a], true, null]',
    [`${copy} m['X-M'] << '3'; m.remove('host'); [m, h.getFirst('Host'), h['X-M'].values]`]:
      '[{X-M=[1, 2, 3]}, a, [1, 2]]',
    [`${copy} [h.asMapOfHeaders().keySet(), h.asMapOfHeaders()['X-M'].firstValue]`]: '[[host, x-m], 1]',
  })
})

test('headers of a message have their classes', async () => {
  const message = `import org.forgerock.http.header.*
    def r = new Response(Status.OK)
    r.headers.put('Content-Type', 'text/plain; charset=ISO-8859-1')`
  await expect(message, {
    'r.headers.get(ContentTypeHeader.class).charset': 'ISO-8859-1',
    'ContentTypeHeader.valueOf(r).type': 'text/plain',
    'LocationHeader.valueOf(r).locationUri': 'null',
    'r.headers.get(LocationHeader.class)': 'null',
    'r.headers.getFirst(ContentTypeHeader)': 'text/plain; charset=ISO-8859-1',
    "r.headers['content-type'].class.simpleName": 'ContentTypeHeader',
    "r.headers['Content-Type'].type": 'text/plain',
    "r.headers.put(new LocationHeader('/a')); r.headers.getFirst('Location')": '/a',
    "r.headers.add(new ContentLengthHeader(5)); r.headers['Content-Length'].length": '5',
    "r.headers.add('Set-Cookie', 'a=b; Path=/'); r.headers['Set-Cookie'].cookies[0].path": '/',
  })
})

test('addHeaders of a message adds values, putHeaders replaces them, and modifyHeaders passes the headers', async () => {
  const header = (name: string, value: string) => `new GenericHeader('${name}', '${value}')`
  await expect('import org.forgerock.http.header.GenericHeader', {
    [`new Response(Status.OK).addHeaders(${header('A', '1')}).addHeaders(${header('a', '2')}, ${header('B', '3')}).headers.collect { it.key + it.value.values }`]:
      '[A[1, 2], B[3]]',
    [`new Request().addHeaders(${header('A', '1')}).putHeaders(${header('a', '2')}).headers['A'].values`]: '[2]',
    "new Request().modifyHeaders { it.add('A', '1') }.setMethod('POST').headers['A'].values": '[1]',
    "new Request().modifyHeaders(h -> h.put('A', '1')).headers.getFirst('A')": '1',
  })
})
