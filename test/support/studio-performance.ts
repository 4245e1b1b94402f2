// Costs of the Studio's pages in a real browser, for a test and for the benchmark.
import type { CDPSession, Page } from 'playwright-core'

/** Costs of the first page on a browser without a cache. */
interface FirstPage {
  /** CPU time of the page's thread until the routes are shown, in seconds. */
  readonly cpuSeconds: number
  /** Bytes of the page and of the files it loads, as transferred. */
  readonly bytes: number
}

/** Logs in without a page, and loads the list of routes in a browser that has no cached file. */
export async function measureFirstPage(
  page: Page,
  { adminUrl, password, route }: { adminUrl: string; password: string; route: string },
): Promise<FirstPage> {
  const data = { username: 'admin', password }
  const login = await page.request.post(`${adminUrl}/api/studio/session?_action=login`, { data })
  if (!login.ok()) throw new Error(`the log-in responded with ${login.status()}`)
  const session = await page.context().newCDPSession(page)
  const files = new Set<string>()
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (new URL(request.url).pathname.startsWith('/studio/')) files.add(requestId)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength
  })
  await session.send('Network.enable')
  const before = await threadSeconds(session)
  await page.goto(`${adminUrl}/studio/routes`)
  await page.getByRole('link', { name: route, exact: true }).waitFor()
  return { cpuSeconds: (await threadSeconds(session)) - before, bytes }
}

/** Milliseconds of CPU time for each key typed into the filter of the list, until the list is painted again. */
export async function measureFilter(page: Page, words: string): Promise<number[]> {
  const session = await page.context().newCDPSession(page)
  await page.getByRole('searchbox', { name: 'Filter routes' }).focus()
  const costs: number[] = []
  for (const key of words) {
    const before = await threadSeconds(session)
    await page.keyboard.press(key)
    // Deferred rendering follows in tasks of its own, which are painted in the frame after the next one.
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
    )
    costs.push(((await threadSeconds(session)) - before) * 1000)
  }
  return costs
}

/** CPU seconds of all tasks of the page's main thread. */
async function threadSeconds(session: CDPSession): Promise<number> {
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}
