import { FilterKind } from '#contracts'
import { config, defineType, string } from '#schema'
import { reportCookie, sessionCookieFields } from '../../lib/sessions/session-cookie.ts'
import { trackFragment } from './track-fragment.ts'

/** Keeps the fragment of a URL over a login. */
export const FragmentFilter = defineType({
  name: 'FragmentFilter',
  kind: FilterKind,
  summary: 'Restores the URL fragment after a login.',
  config: {
    fragmentCaptureEndpoint: config(string({ nonEmpty: true })).meta({
      description: 'Path to which the browser posts the fragment, such as `/home/fragment`; the route must match it.',
    }),
    noJavaScriptMessage: config(string())
      .default('Scripts are disabled in this browser: the position in the page will be lost.')
      .meta({ description: 'Text for browsers without scripts, beside a button that continues with the login.' }),
    cookie: sessionCookieFields('ig-fragment').meta({ description: 'The cookie with the fragment during a login.' }),
  },
  check: ({ fragmentCaptureEndpoint, cookie }, report) => {
    if (!/^\/(?!\/)[^?#\s]*$/.test(fragmentCaptureEndpoint))
      report('/fragmentCaptureEndpoint', 'expected a path such as "/home/fragment", without query and fragment')
    reportCookie(cookie, report)
  },
  create: ({ fragmentCaptureEndpoint: endpoint, noJavaScriptMessage: message, cookie }) =>
    trackFragment({ endpoint, message, cookie }),
})
