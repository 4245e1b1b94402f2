import type { Policy } from './access-manager/index.ts'

const PAGES: Policy = {
  name: 'pages',
  applicationName: 'demo',
  resources: ['*://*:*/home', '*://*:*/home/', '*://*:*/home/echo', '*://*:*/home/stream'],
  actionValues: { GET: true, HEAD: true },
  subject: { type: 'AuthenticatedUsers' },
}

/** Policies of the demo: pages for logged-in users, downloads after a stronger login. */
export const DEMO_POLICIES: readonly Policy[] = [
  PAGES,
  {
    ...PAGES,
    name: 'downloads',
    resources: ['*://*:*/home/download', '*://*:*/home/download?*'],
    condition: { type: 'AuthLevel', authLevel: 5 },
  },
]

/** The same pages, with POST. */
export const CHANGED_POLICY: Policy = { ...PAGES, actionValues: { GET: true, HEAD: true, POST: true } }
