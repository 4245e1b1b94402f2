import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Draft, DraftStore } from './draft-store.ts'

/** A storage that calls the other tabs after each change, as local storage does. */
class TestStorage {
  readonly #items = new Map<string, string>()
  onChange: (key: string) => void = () => {}

  get length(): number {
    return this.#items.size
  }

  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null
  }

  getItem(key: string): string | null {
    return this.#items.get(key) ?? null
  }

  setItem(key: string, value: string): void {
    this.#items.set(key, value)
    this.onChange(key)
  }

  removeItem(key: string): void {
    this.#items.delete(key)
    this.onChange(key)
  }

  clear(): void {
    this.#items.clear()
  }

  copy(): TestStorage {
    const copy = new TestStorage()
    for (const [key, value] of this.#items) copy.#items.set(key, value)
    return copy
  }
}

/** A browser with tabs, each a store with its session storage. */
class TestBrowser {
  readonly local = new TestStorage()
  readonly #open = new Set<DraftStore>()
  readonly #sessions = new Map<DraftStore, TestStorage>()

  open(session = new TestStorage()): DraftStore {
    const local = () => {
      // Events go to the other tabs, after the change.
      this.local.onChange = (key) => {
        const others = [...this.#open].filter((tab) => tab !== store)
        queueMicrotask(() => {
          for (const tab of others) if (this.#open.has(tab)) tab.changedElsewhere(key)
        })
      }
      return this.local
    }
    const store = new DraftStore(local, () => session)
    this.#open.add(store)
    this.#sessions.set(store, session)
    store.changedElsewhere(null)
    return store
  }

  close(tab: DraftStore): void {
    this.#open.delete(tab)
  }

  reload(tab: DraftStore): DraftStore {
    this.close(tab)
    return this.open(this.#sessions.get(tab))
  }

  duplicate(tab: DraftStore): DraftStore {
    return this.open(this.#sessions.get(tab)?.copy())
  }
}

const ROUTE = ['_router', 'hello'] as const

function draft(text: string): Draft {
  return { text, base: 'served', sourceRev: '1' }
}

/** Lets the events of storage arrive. */
const events = () => new Promise<void>((resolve) => setImmediate(resolve))

function textOf(tab: DraftStore): string | null {
  return tab.read(...ROUTE)?.text ?? null
}

/** Texts of the other drafts, each opened in a tab of its own. */
function otherTexts(browser: TestBrowser, tab: DraftStore): (string | undefined)[] {
  return tab.others(...ROUTE).map(({ key }) => {
    const reader = browser.open()
    const text = reader.open(...ROUTE, key)?.text
    browser.close(reader)
    return text
  })
}

test('each of two tabs has its own draft after a reload, and the one of the other is offered', async () => {
  const browser = new TestBrowser()
  const [first, second] = [browser.open(), browser.open()]
  first.write(...ROUTE, draft('ONE'))
  second.write(...ROUTE, draft('TWO'))
  await events()
  const reloaded = browser.reload(first)
  assert.equal(textOf(reloaded), 'ONE')
  assert.equal(textOf(browser.reload(second)), 'TWO')
  assert.deepEqual(otherTexts(browser, reloaded), ['TWO'])
  assert.deepEqual(reloaded.ids('_router'), ['hello'])
})

test('a tab that deploys or discards its draft leaves the one of another tab', async () => {
  const browser = new TestBrowser()
  const [first, second] = [browser.open(), browser.open()]
  first.write(...ROUTE, draft('ONE'))
  second.write(...ROUTE, draft('TWO'))
  first.remove(...ROUTE)
  await events()
  assert.equal(textOf(browser.reload(second)), 'TWO')
  const third = browser.open()
  third.remove(...ROUTE)
  assert.equal(textOf(third), 'TWO')
})

test('the newest draft of closed tabs is the one of the next tab, which offers the others', (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  const browser = new TestBrowser()
  const [first, second] = [browser.open(), browser.open()]
  second.write(...ROUTE, draft('TWO'))
  t.mock.timers.tick(1)
  first.write(...ROUTE, draft('ONE'))
  browser.close(first)
  browser.close(second)
  const next = browser.open()
  assert.equal(textOf(next), 'ONE')
  assert.deepEqual(otherTexts(browser, next), ['TWO'])
  next.write(...ROUTE, draft('ONE, edited'))
  assert.deepEqual(otherTexts(browser, next), ['TWO'], 'the draft is continued, not copied')
  next.remove(...ROUTE)
  assert.equal(textOf(next), 'TWO')
})

test('a draft that another tab shows, edits or discards stays in the tab that has typed it', async () => {
  for (const change of [
    (other: DraftStore) => void other.write(...ROUTE, draft('ONE, edited')),
    (other: DraftStore) => other.remove(...ROUTE),
  ]) {
    const browser = new TestBrowser()
    const [first, second] = [browser.open(), browser.open()]
    first.write(...ROUTE, draft('ONE'))
    assert.equal(textOf(second), 'ONE')
    second.write(...ROUTE, draft('ONE'))
    assert.deepEqual(second.others(...ROUTE), [], 'a look at it makes no second draft')
    change(second)
    await events()
    assert.equal(textOf(browser.reload(first)), 'ONE')
    browser.close(first)
    assert.deepEqual(otherTexts(browser, second), ['ONE'], 'also after it is closed')
  }
})

test('a duplicate of a tab and its original do not replace the drafts of each other', async () => {
  const browser = new TestBrowser()
  const first = browser.open()
  first.write(...ROUTE, draft('ONE'))
  const duplicate = browser.duplicate(first)
  duplicate.write(...ROUTE, draft('TWO'))
  first.write(...ROUTE, draft('THREE'))
  await events()
  assert.equal(textOf(browser.reload(duplicate)), 'TWO')
  assert.equal(textOf(browser.reload(first)), 'THREE')
})

test('an opened draft takes the place of the one of the tab, which is offered then', async () => {
  const browser = new TestBrowser()
  const [first, second] = [browser.open(), browser.open()]
  first.write(...ROUTE, draft('ONE'))
  second.write(...ROUTE, draft('TWO'))
  browser.close(second)
  const [other] = first.others(...ROUTE)
  assert.equal(first.open(...ROUTE, other?.key ?? '')?.text, 'TWO')
  const reloaded = browser.reload(first)
  assert.equal(textOf(reloaded), 'TWO')
  assert.deepEqual(otherTexts(browser, reloaded), ['ONE'])
  reloaded.begin(...ROUTE, draft('imported'))
  assert.deepEqual(otherTexts(browser, reloaded).sort(), ['ONE', 'TWO'])
})

test('drafts of closed tabs are limited to ten and 30 days; the newest stays', (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  const browser = new TestBrowser()
  const leave = (text: string) => {
    const tab = browser.open()
    tab.begin(...ROUTE, draft(text))
    browser.close(tab)
    t.mock.timers.tick(1)
  }
  for (let count = 1; count <= 15; count++) leave(`draft ${count}`)
  const tab = browser.open()
  assert.equal(textOf(tab), 'draft 15')
  assert.equal(tab.others(...ROUTE).length, 10)
  t.mock.timers.tick(31 * 24 * 3600_000)
  leave('a month later')
  const later = browser.open()
  assert.equal(textOf(later), 'a month later')
  assert.deepEqual(otherTexts(browser, later), ['draft 15'])
})

test('a browser that blocks storage, or whose storage is full, keeps no draft and says so', () => {
  const blocked = () => {
    throw new Error('blocked')
  }
  const store = new DraftStore(blocked, blocked)
  assert.equal(store.read(...ROUTE), null)
  assert.deepEqual(store.ids('_router'), [])
  assert.equal(store.write(...ROUTE, draft('ONE')), false)
  assert.equal(store.write(...ROUTE, draft('ONE')), false)
  store.remove(...ROUTE)
})

test('the draft of an earlier version, and other contents of the storage, are read as far as they are drafts', () => {
  const browser = new TestBrowser()
  browser.local.setItem('studio.draft:_router/hello', JSON.stringify(draft('earlier')))
  browser.local.setItem('studio.draft.1:_router/hello', 'not JSON')
  browser.local.setItem('studio.theme', 'dark')
  const tab = browser.open()
  assert.equal(textOf(tab), 'earlier')
  assert.deepEqual(tab.others(...ROUTE), [])
})

test('a draft that another tab deploys as it is does not come back from the tab that has typed it', async () => {
  const browser = new TestBrowser()
  const [first, second, third] = [browser.open(), browser.open(), browser.open()]
  first.write(...ROUTE, draft('ONE'))
  assert.equal(textOf(second), 'ONE')
  second.deployed(...ROUTE)
  await events()
  const reloaded = browser.reload(first)
  for (const tab of [first, second, third, reloaded]) {
    assert.deepEqual([textOf(tab), tab.others(...ROUTE), tab.ids('_router')], [null, [], []])
  }
  // The next draft of the route is one as before.
  reloaded.write(...ROUTE, draft('ONE'))
  assert.equal(textOf(third), 'ONE')
  third.deployed(...ROUTE)
  await events()
  assert.equal(browser.local.length, 1, 'a route has one mark')
  assert.equal(textOf(reloaded), null)
})

test('a draft that was changed before another tab deploys what it has seen stays', async () => {
  const browser = new TestBrowser()
  const [first, second] = [browser.open(), browser.open()]
  first.write(...ROUTE, draft('ONE'))
  assert.equal(textOf(second), 'ONE')
  first.write(...ROUTE, draft('ONE, edited'))
  second.deployed(...ROUTE)
  await events()
  assert.equal(textOf(browser.reload(first)), 'ONE, edited')
  assert.deepEqual(first.ids('_router'), ['hello'])
})

test('a draft of a router below a route is none of the router above', () => {
  const tab = new TestBrowser().open()
  const below = '_router/routes/outer/objects/inner'
  tab.write(below, 'hello', draft('ONE'))
  assert.deepEqual([tab.ids('_router'), tab.ids(below)], [[], ['hello']])
})
