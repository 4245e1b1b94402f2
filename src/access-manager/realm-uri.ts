import { Uri } from '#http'

/** URIs of one access manager, by realm. */
export class RealmUris {
  /** Base URL without trailing slash. */
  readonly url: string
  readonly realm: string

  constructor(url: string, realm: string) {
    this.url = url.replace(/\/+$/, '')
    this.realm = normalRealm(realm)
  }

  rest(path: string, realm = this.realm): Uri {
    return Uri.parse(`${this.url}/json${realmPath(realm)}/${path}`)
  }

  oauth2(path: string, realm = this.realm): Uri {
    return Uri.parse(`${this.url}/oauth2${realmPath(realm)}/${path}`)
  }

  /** A resource of the server, outside of its realms. */
  server(path: string): Uri {
    return Uri.parse(`${this.url}/json/${path}`)
  }

  get notifications(): string {
    return `${this.url}/notifications`
  }
}

/** A realm with one slash before each name; `/` is the root. */
export function normalRealm(realm: string): string {
  return `/${namesOf(realm).join('/')}`
}

/** `/realms/root`, with `/realms/<name>` for each name below it. Names are encoded, so that none spans several segments. */
function realmPath(realm: string): string {
  return ['root', ...namesOf(realm)].map((name) => `/realms/${segment(name)}`).join('')
}

function namesOf(realm: string): string[] {
  return realm.split('/').filter((name) => name !== '')
}

function segment(name: string): string {
  // Dot segments would be removed from the path (RFC 3986 section 5.2.4).
  return /^\.+$/.test(name) ? name.replaceAll('.', '%2E') : encodeURIComponent(name)
}
