import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadTime } from '../../../../test/support/loop-watch.ts'
import { runGroovy } from '../../testing/run-groovy.ts'

const slurped = async (xml: string, expression: string): Promise<string> =>
  (await runGroovy(`def r = new XmlSlurper().parseText('''${xml}''')\n${expression}`)).text

const XML =
  '<?xml version="1.0"?><!-- c --><r a="1 &lt; 2"><c id="x">one</c><c id="y">two</c><n:d xmlns:n="u"><e>deep &amp; &#65;<![CDATA[<raw>]]></e></n:d></r>'

test('XML of a reader and of a stream is parsed', async () => {
  const xml = '<a><b c="1">t</b></a>'
  assert.equal((await runGroovy(`new groovy.xml.XmlSlurper().parse(new StringReader('${xml}')).b.@c.text()`)).text, '1')
  const stream = `new ByteArrayInputStream('${xml}'.bytes)`
  assert.equal((await runGroovy(`new groovy.xml.XmlSlurper().parse(${stream}).b.text()`)).text, 't')
})

test('elements and attributes are selected by paths', async () => {
  assert.equal(
    await slurped(XML, "[r.c[0].text(), r.c[1].@id.text(), r.'@a'.text(), r.d.e.text(), r.name()]"),
    '[one, y, 1 < 2, deep & A<raw>, r]',
  )
  assert.equal(
    await slurped(XML, 'r.c.size() + " " + r.c.collect { it.@id.text() } + r.c*.text()'),
    '2 [x, y][one, two]',
  )
  assert.equal(
    await slurped(
      XML,
      "[r.c.find { it.@id == 'y' }.text(), r.c.findAll { it.text().startsWith('o') }.size(), r.'**'.size()]",
    ),
    '[two, 1, 5]',
  )
  assert.equal(
    await slurped(
      XML,
      '[r.none.text(), r.none.size(), r.none ? 1 : 2, r.children().collect { it.name() }, r.c[0].attributes()]',
    ),
    '[, 0, 1, [c, c, d], [id:x]]',
  )
  assert.equal(await slurped('<r><n>42</n></r>', 'r.n.toInteger() + 1'), '43')
})

test('XML that is not well-formed is rejected with its line', async () => {
  for (const xml of ['<r>', '<r></s>', '<r/><s/>', 'text', '<r a=1/>', '<r a="1" b/>', '', '<r>\n&nope;</r>']) {
    await assert.rejects(slurped(xml, 'r'), { message: /SAXParseException/ }, xml)
  }
})

test('DOCTYPE is rejected, so that there are no custom or external entities', async () => {
  const hostile = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'
  await assert.rejects(slurped(hostile, 'r.text()'), { message: /DOCTYPE is disallowed/ })
})

test('deep and long documents are stopped by a limit', async () => {
  await assert.rejects(runGroovy("new XmlSlurper().parseText('<a>' * 300 + '</a>' * 300)"), /nested more than 200/)
  const { text } = await runGroovy("new XmlSlurper().parseText('<r>' + '<a/>' * 10000 + '</r>').a.size()")
  assert.equal(text, '10000')
})

test('reading takes time in proportion to the length, also with many namespace prefixes', async () => {
  const count = 5_000
  const declared = Array.from({ length: count }, (_, index) => `xmlns:p${index}="u"`).join(' ')
  const children = Array.from({ length: count }, (_, index) => `<q${index}:b xmlns:q${index}="v"/>`).join('')
  const xml = `<a ${declared}>${children}<p7:c/></a>`
  const started = threadTime()
  const { text } = await runGroovy(
    `def r = new XmlSlurper().parseText(xml); [r.children().size(), r.b.size(), r.c.namespaceURI()].join(' ')`,
    { variables: { xml }, limits: { timeout: 60_000 } },
  )
  assert.equal(text, `${count + 1} ${count} u`)
  assert.ok(threadTime() - started < 1_000, `${threadTime() - started} ms`)
})

test('a prefix has the namespace of the innermost element that declares it, and none after that element', async () => {
  const xml = '<p:a xmlns:p="1" xmlns="d"><p:b xmlns:p="2"><p:c/><e xmlns=""/></p:b><p:f/></p:a>'
  const names = `r.'**'.collect { it.name() + it.namespaceURI() }.join(' ')`
  assert.equal(await slurped(xml, names), 'a1 b2 c2 e f1')
  await assert.rejects(slurped('<a><b xmlns:p="1"/><p:c/></a>', 'r'), { message: /SAXParseException/ })
})

test('a path that selects the same elements again and again stops at a size limit', async () => {
  const xml = `<a>${'<b/>'.repeat(2_000)}</a>`
  await assert.rejects(slurped(xml, `r.'*'.'..'.'*'.'..'.'*'.size()`), {
    name: 'GroovyLimitError',
    limit: 'collection',
  })
})
