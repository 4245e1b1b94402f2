import { type Answer, crestError, json } from '../http/answer.ts'
import { type Call, type Endpoint, headerOf } from '../http/call.ts'
import { isMediaType, readJsonObject } from '../http/request-body.ts'
import type { WholeSettings } from '../settings.ts'
import type { Directory } from '../state/accounts.ts'
import type { SessionOwner, Sessions } from '../state/sessions.ts'
import type { CallbackDialogue } from './callbacks.ts'
import { headerText } from './header-text.ts'

const USER_TREES = new Set(['ldapService', 'Login'])
const USER_MODULES = new Set(['DataStore', 'LDAP'])

/** `authenticate`: logs users and agents in, by headers or by a dialogue of callbacks. */
export class Authenticate implements Endpoint {
  readonly name = 'authenticate'
  readonly methods = ['POST']
  readonly #settings: WholeSettings
  readonly #directory: Directory
  readonly #sessions: Sessions
  readonly #dialogue: CallbackDialogue

  constructor(settings: WholeSettings, directory: Directory, sessions: Sessions, dialogue: CallbackDialogue) {
    this.#settings = settings
    this.#directory = directory
    this.#sessions = sessions
    this.#dialogue = dialogue
  }

  async handle(call: Call): Promise<Answer> {
    if (call.body !== '' && !isMediaType(call.headers['content-type'], 'application/json'))
      return crestError(415, 'Unsupported media type')
    const body = readJsonObject(call.body)
    if (body === null) return crestError(400, 'The request body is not a JSON object')
    const kind = this.#whoMayLogIn(call.query)
    if (kind === null) return crestError(401, 'No Configuration found')
    const credentials = 'authId' in body ? await this.#dialogue.read(body, call.realm) : this.#fromHeaders(call)
    if (credentials === null) return json(await this.#dialogue.begin(call.realm))
    if (credentials === 'refused') return crestError(401, 'Login failure')
    const owner = this.#verified(kind, call.realm, credentials)
    return owner === undefined ? crestError(401, 'Login failure') : this.#loggedIn(owner)
  }

  /** What a tree or module is for; null where it is not there. */
  #whoMayLogIn(query: URLSearchParams): 'user' | 'agent' | null {
    const type = query.get('authIndexType')
    const value = query.get('authIndexValue') ?? ''
    const { agentJourney } = this.#settings
    if (type === null) return 'user'
    if (type === 'service') {
      if (agentJourney !== null && value === agentJourney) return 'agent'
      return USER_TREES.has(value) ? 'user' : null
    }
    if (type === 'module') {
      if (value === 'Application') return 'agent'
      return USER_MODULES.has(value) ? 'user' : null
    }
    return null
  }

  #fromHeaders({ headers }: Call): Credentials | null {
    const name = headerOf(headers, 'x-openam-username')
    const password = headerOf(headers, 'x-openam-password')
    if (name === undefined || password === undefined) return null
    // OpenAM takes the bytes of the header as they are, ISO-8859-1.
    if (this.#settings.family === 'openam') return { name, password }
    return { name: headerText(name), password: headerText(password) }
  }

  #verified(kind: 'user' | 'agent', realm: string, { name, password }: Credentials): SessionOwner | undefined {
    if (kind === 'agent') {
      const agent = this.#directory.authenticateAgent(realm, name, password)
      return agent && { kind, name, realm, admin: false }
    }
    const user = this.#directory.authenticateUser(realm, name, password)
    return user && { kind, name, realm, admin: user.admin ?? false }
  }

  #loggedIn(owner: SessionOwner): Answer {
    const { cookieName, secureCookie, tokenInBody, contextPath } = this.#settings
    const { tokenId } = this.#sessions.start(owner)
    const cookie = `${cookieName}=${tokenId}; Path=/; HttpOnly${secureCookie ? '; Secure' : ''}`
    const rest = { successUrl: `${contextPath}/console`, realm: owner.realm }
    return json(tokenInBody ? { tokenId, ...rest } : rest, 200, { 'Set-Cookie': [cookie] })
  }
}

/** What somebody logs in with. */
export interface Credentials {
  readonly name: string
  readonly password: string
}
