import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundStatement } from './placeholders.ts'

test('each ? of a PostgreSQL statement becomes a numbered parameter', () => {
  assert.deepEqual(boundStatement('SELECT * FROM t WHERE a = ? AND b = ?', 'postgresql'), {
    text: 'SELECT * FROM t WHERE a = $1 AND b = $2',
    parameterCount: 2,
  })
  assert.equal(boundStatement('SELECT 1', 'postgresql').parameterCount, 0)
})

test('a ? in quotes and comments is text', () => {
  const statement = `SELECT '?', 'it''s ?', "c?", $$?$$, $x$ $y$ ? $x$, E'\\'?' -- ?\n/* ? */ FROM t WHERE a = ?`
  const { text, parameterCount } = boundStatement(statement, 'postgresql')
  assert.equal(parameterCount, 1)
  assert.equal(text, statement.replace(/\?$/, '$1'))
  const mysql = "SELECT '?', 'it\\'s ?', \"?\", `c?` # ?\n FROM t WHERE a = ?"
  assert.deepEqual(boundStatement(mysql, 'mysql'), { text: mysql, parameterCount: 1 })
})

test('in MySQL, -- begins a comment only before a space, a control character or the end', () => {
  for (const [statement, count] of [
    ['SELECT a--? FROM t', 1],
    ['SELECT a --?', 1],
    ['SELECT a -- ?\n FROM t WHERE b = ?', 1],
    ['SELECT a --\t?', 0],
    ['SELECT a --\n, ?', 1],
    ['SELECT a = ? --', 1],
  ] as const) {
    assert.equal(boundStatement(statement, 'mysql').parameterCount, count, statement)
  }
  assert.equal(boundStatement('SELECT a--?', 'postgresql').parameterCount, 0)
})

test('block comments nest in PostgreSQL, and end at the first */ in MySQL', () => {
  const nested = 'SELECT 1 /* a /* ? */ ? */ WHERE b = ?'
  assert.deepEqual(boundStatement(nested, 'postgresql'), {
    text: 'SELECT 1 /* a /* ? */ ? */ WHERE b = $1',
    parameterCount: 1,
  })
  assert.equal(boundStatement(nested, 'mysql').parameterCount, 2)
  assert.equal(boundStatement('SELECT 1 /*/ ? */ + ?', 'postgresql').parameterCount, 1)
  assert.throws(() => boundStatement('SELECT 1 /* /* ? */', 'postgresql'), SyntaxError)
})

test('the content of /*! */ is a part of a MySQL statement', () => {
  assert.equal(boundStatement('SELECT /*! ? */', 'mysql').parameterCount, 1)
  assert.equal(boundStatement("SELECT /*!50110 '?', ? */", 'mysql').parameterCount, 1)
  assert.equal(boundStatement('SELECT /*+ ? */ 1', 'mysql').parameterCount, 0)
})

test('?? is the operator ? of PostgreSQL, and two parameters of MySQL', () => {
  assert.equal(boundStatement('SELECT a ?? b', 'postgresql').text, 'SELECT a ? b')
  assert.equal(boundStatement('SELECT ??', 'mysql').parameterCount, 2)
})

test('a statement whose quote or comment has no end is refused', () => {
  for (const statement of ["SELECT 'a", 'SELECT "a', 'SELECT /* a', 'SELECT $$ a', "SELECT E'a\\'"]) {
    assert.throws(() => boundStatement(statement, 'postgresql'), SyntaxError, statement)
  }
  assert.throws(() => boundStatement('SELECT `a', 'mysql'), SyntaxError)
})
