import type { Policy } from './access-manager/index.ts'

const PAGES: Policy = {
  name: 'pages',
  applicationName: 'demo',
  resources: ['*://*:*/home', '*://*:*/home/', '*://*:*/home/echo', '*://*:*/home/stream'],
  actionValues: { GET: true, HEAD: true },
  subject: { type: 'AuthenticatedUsers' },
}

/** What the access manager of the demo allows: pages to who is logged in, downloads to who is so by a stronger login. */
export const DEMO_POLICIES: readonly Policy[] = [
  PAGES,
  {
    ...PAGES,
    name: 'downloads',
    resources: ['*://*:*/home/download', '*://*:*/home/download?*'],
    condition: { type: 'AuthLevel', authLevel: 5 },
  },
]

/** The same pages, now also to write to. */
export const CHANGED_POLICY: Policy = { ...PAGES, actionValues: { GET: true, HEAD: true, POST: true } }
