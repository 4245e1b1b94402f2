// Fields of a query or of urlencoded content: a map of names to lists of values.
import {
  andThen,
  CollectionValue,
  classes,
  HashMapValue,
  ListValue,
  type MapValue,
  type Maybe,
  textOf,
  type Value,
} from '@identity-gateway/groovy'
import { type Form, formatForm, formatQuery, parseForm, type Request, setEntity } from '#http'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { type RequestValue, readBuffered } from './message-values.ts'

const FormClass = gatewayClass('http.protocol.Form', { parent: classes.LinkedHashMapClass })

export function isForm(value: Value): value is HashMapValue {
  return value instanceof HashMapValue && value.klass === FormClass
}

/** Converts a form of the gateway to a script value. */
export function formValue(form: Form): HashMapValue {
  return addForm(new HashMapValue(FormClass), form)
}

function addForm(self: HashMapValue, form: Form): HashMapValue {
  for (const name of Object.keys(form)) for (const each of form[name] ?? []) add(self, name, each)
  return self
}

function add(self: HashMapValue, name: string, value: Value): HashMapValue {
  const values = self.get(name)
  const text = value === null ? null : textOf(value)
  if (values instanceof ListValue) values.add(text)
  else self.put(name, new ListValue([text]))
  return self
}

/** Converts a form of a script to one of the gateway. */
export function hostForm(self: MapValue): Form {
  const form: Form = Object.create(null)
  for (const { key, value } of self.entries()) {
    const items = value instanceof CollectionValue ? value.items : [value]
    form[textOf(key)] = items.map((each) => (each === null ? null : textOf(each)))
  }
  return form
}

/** Of content: names without an equals sign are left out. */
const parsed = (text: string): Form => parseForm(text, { keepNamesWithoutValue: false })

/** Of a query: they have null as value. */
const parsedQuery = (text: string | null): Form => parseForm(text ?? '', { keepNamesWithoutValue: true })

function writeEntity(self: HashMapValue, { host }: RequestValue): void {
  host.headers.set('Content-Type', 'application/x-www-form-urlencoded')
  setEntity(host, formatForm(hostForm(self)))
}

const first = (self: HashMapValue, name: string): Value => {
  const values = self.get(name)
  return values instanceof ListValue ? (values.items[0] ?? null) : (values ?? null)
}

function addFromEntity(self: HashMapValue, { host }: RequestValue): Maybe {
  return readBuffered(host, 'request', (entity) => addForm(self, entity.form))
}

extendWithHost(FormClass, {
  'new()': () => new HashMapValue(FormClass),
  'new(Map fields)': (fields: MapValue) => addForm(new HashMapValue(FormClass), hostForm(fields)),
  'getFirst(String name): String': first,
  'add(String name, Object? value): Form': add,
  'addAll(String name, Collection values): void': (self: HashMapValue, name: string, values: CollectionValue) => {
    for (const each of values.items) add(self, name, each)
  },
  'putSingle(String name, Object? value): void': (self: HashMapValue, name: string, value: Value) => {
    self.put(name, new ListValue([value === null ? null : textOf(value)]))
  },
  'fromString(String text): Form': (self: HashMapValue, text: string) => addForm(self, parsed(text)),
  'fromQueryString(String? text): Form': (self: HashMapValue, text: string | null) => addForm(self, parsedQuery(text)),
  'fromFormString(String? text): Form': (self: HashMapValue, text: string | null) => addForm(self, parsed(text ?? '')),
  'toQueryString(): String': (self: HashMapValue) => formatQuery(hostForm(self)),
  'toFormString(): String': (self: HashMapValue) => formatForm(hostForm(self)),
  'fromRequestQuery(Request request): Form': (self: HashMapValue, { host }: RequestValue) =>
    addForm(self, parsedQuery(host.uri.rawQuery)),
  'toRequestQuery(Request request): void': (self: HashMapValue, { host }: RequestValue) => {
    host.uri.rawQuery = formatQuery(hostForm(self))
  },
  'appendRequestQuery(Request request): void': (self: HashMapValue, { host }: RequestValue) => {
    const before = host.uri.rawQuery ?? ''
    host.uri.rawQuery = [before, formatQuery(hostForm(self))].filter((each) => each !== '').join('&')
  },
  'fromRequestEntity(Request request): Form': addFromEntity,
  'toRequestEntity(Request request): void': writeEntity,
  'appendRequestEntity(Request request): void': (self: HashMapValue, request: RequestValue) =>
    andThen(addFromEntity(new HashMapValue(FormClass), request), (before) => {
      writeEntity(addForm(before as HashMapValue, hostForm(self)), request)
      return null
    }),
})

/** Query and urlencoded content together, the query first. */
export function wholeForm(request: Request): Maybe {
  const form = formValue(parsedQuery(request.uri.rawQuery))
  return readBuffered(request, 'request', (entity) => addForm(form, entity.form))
}

export const queryForm = (request: Request): Value => formValue(parsedQuery(request.uri.rawQuery))
