//! From text to a tree: recursive descent, with precedence climbing for binary operators. Names are resolved on the way:
//! a name must be declared before it is used, and a variable that an inner function uses leaves its register.

use crate::ast::{
    Binary, Builtin, Compare, Expr, ExprKind, FunctionExpr, Home, Program, Stmt, StmtKind, Variable,
    VariableId,
};
use crate::error::{Error, Line};
use crate::lexer::{Lexer, Token};
use std::collections::HashMap;

/// Blocks and expressions inside each other.
const DEEPEST: u32 = 200;

/// Reads a program.
///
/// # Errors
/// The source is no program.
pub fn parse(source: &str) -> Result<Program, Error> {
    let mut lexer = Lexer::new(source);
    let (token, line) = lexer.next_token()?;
    let functions = vec![Scopes { blocks: vec![HashMap::new()], loops: 0 }];
    let mut parser = Parser { lexer, token, line, functions, variables: Vec::new(), depth: 0 };
    let mut body = Vec::new();
    while parser.token != Token::End {
        body.push(parser.statement()?);
    }
    Ok(Program { body, variables: parser.variables })
}

/// Names of a function.
struct Scopes {
    /// Innermost last.
    blocks: Vec<HashMap<String, VariableId>>,
    /// Loops around.
    loops: u32,
}

struct Parser<'s> {
    lexer: Lexer<'s>,
    /// The next token and its line.
    token: Token,
    line: Line,
    /// Innermost last.
    functions: Vec<Scopes>,
    variables: Vec<Variable>,
    /// How deep the grammar is.
    depth: u32,
}

/// What a sign between two expressions does.
enum Infix {
    Binary(Binary),
    Compare(Compare),
    And,
    Or,
}

/// The operator of a sign and how strongly it binds.
fn infix(token: &Token) -> Option<(Infix, u8)> {
    use Infix as I;
    let Token::Sign(sign) = token else { return None };
    Some(match *sign {
        "or" => (I::Or, 1),
        "and" => (I::And, 2),
        "==" => (I::Compare(Compare::Eq), 3),
        "!=" => (I::Compare(Compare::Ne), 3),
        "<" => (I::Compare(Compare::Lt), 3),
        "<=" => (I::Compare(Compare::Le), 3),
        ">" => (I::Compare(Compare::Gt), 3),
        ">=" => (I::Compare(Compare::Ge), 3),
        "|" => (I::Binary(Binary::Or), 4),
        "^" => (I::Binary(Binary::Xor), 5),
        "&" => (I::Binary(Binary::And), 6),
        "<<" => (I::Binary(Binary::Shl), 7),
        ">>" => (I::Binary(Binary::Shr), 7),
        "+" => (I::Binary(Binary::Add), 8),
        "-" => (I::Binary(Binary::Sub), 8),
        "*" => (I::Binary(Binary::Mul), 9),
        "/" => (I::Binary(Binary::Div), 9),
        "//" => (I::Binary(Binary::IntDiv), 9),
        "%" => (I::Binary(Binary::Mod), 9),
        _ => return None,
    })
}

/// How strongly a sign before an expression binds.
const PREFIX: u8 = 10;

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token, Error> {
        let (token, line) = self.lexer.next_token()?;
        self.line = line;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn error<T>(&self, reason: impl Into<String>) -> Result<T, Error> {
        Err(Error::syntax(self.line, reason))
    }

    /// Takes the sign if it is the next token.
    fn eat(&mut self, sign: &str) -> Result<bool, Error> {
        let is_next = matches!(self.token, Token::Sign(next) if next == sign);
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    fn expect(&mut self, sign: &str) -> Result<(), Error> {
        match self.eat(sign)? {
            true => Ok(()),
            false => self.error(format!("expected '{sign}', found {:?}", self.token)),
        }
    }

    fn name(&mut self) -> Result<String, Error> {
        match self.advance()? {
            Token::Name(name) => Ok(name),
            other => self.error(format!("expected a name, found {other:?}")),
        }
    }

    /// Runs a rule of the grammar one step deeper.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == DEEPEST {
            return self.error("too many things inside each other");
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    // ---- names

    fn scopes(&mut self) -> &mut Scopes {
        self.functions.last_mut().expect("the program is a function")
    }

    fn declare(&mut self, name: String) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        let depth = self.functions.len() as u32 - 1;
        self.variables.push(Variable { name: name.clone(), depth, home: Home::Register });
        self.scopes().blocks.last_mut().expect("a function has a block").insert(name, id);
        id
    }

    /// The variable of a name; it is moved to where this function finds it.
    fn find(&mut self, name: &str) -> Option<VariableId> {
        let blocks = self.functions.iter().rev().flat_map(|scopes| scopes.blocks.iter().rev());
        let id = blocks.filter_map(|block| block.get(name)).next().copied()?;
        let variable = &mut self.variables[id.0 as usize];
        if (variable.depth as usize) < self.functions.len() - 1 {
            variable.home = if variable.depth == 0 { Home::Global } else { Home::Cell };
        }
        Some(id)
    }

    fn variable(&mut self, name: &str) -> Result<VariableId, Error> {
        match self.find(name) {
            Some(id) => Ok(id),
            None => self.error(format!("'{name}' is not declared")),
        }
    }

    // ---- statements

    fn block(&mut self) -> Result<Vec<Stmt>, Error> {
        self.scopes().blocks.push(HashMap::new());
        let body = self.block_here();
        self.scopes().blocks.pop();
        body
    }

    /// A block whose names belong to the scope that is open.
    fn block_here(&mut self) -> Result<Vec<Stmt>, Error> {
        self.expect("{")?;
        let mut body = Vec::new();
        while !self.eat("}")? {
            if self.token == Token::End {
                return self.error("a block without an end");
            }
            body.push(self.statement()?);
        }
        Ok(body)
    }

    fn statement(&mut self) -> Result<Stmt, Error> {
        let line = self.line;
        let kind = self.deeper(Self::statement_kind)?;
        self.eat(";")?;
        Ok(Stmt { line, kind })
    }

    fn statement_kind(&mut self) -> Result<StmtKind, Error> {
        let Token::Sign(sign) = self.token else { return self.simple_statement() };
        match sign {
            "let" => {
                self.advance()?;
                let name = self.name()?;
                self.expect("=")?;
                let value = self.expression()?;
                Ok(StmtKind::Let(self.declare(name), value))
            }
            "fn" => {
                let line = self.line;
                self.advance()?;
                let name = self.name()?;
                // It may call itself.
                let id = self.declare(name.clone());
                let kind = ExprKind::Function(Box::new(self.function(name)?));
                Ok(StmtKind::Let(id, Expr { line, kind }))
            }
            "if" => self.if_statement(),
            "while" => {
                self.advance()?;
                let condition = self.expression()?;
                Ok(StmtKind::While(condition, self.looped(Self::block)?))
            }
            "for" => self.for_statement(),
            "return" => {
                self.advance()?;
                let ends = matches!(self.token, Token::Sign("}" | ";") | Token::End);
                Ok(StmtKind::Return(if ends { None } else { Some(self.expression()?) }))
            }
            "break" | "continue" => {
                if self.scopes().loops == 0 {
                    return self.error(format!("'{sign}' outside of a loop"));
                }
                self.advance()?;
                Ok(if sign == "break" { StmtKind::Break } else { StmtKind::Continue })
            }
            _ => self.simple_statement(),
        }
    }

    fn looped<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.scopes().loops += 1;
        let result = rule(self);
        self.scopes().loops -= 1;
        result
    }

    fn if_statement(&mut self) -> Result<StmtKind, Error> {
        self.advance()?;
        let condition = self.expression()?;
        let then = self.block()?;
        let otherwise = match self.eat("else")? {
            false => Vec::new(),
            true if self.token == Token::Sign("if") => vec![self.statement()?],
            true => self.block()?,
        };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    fn for_statement(&mut self) -> Result<StmtKind, Error> {
        self.advance()?;
        let name = self.name()?;
        self.expect("=")?;
        let from = self.expression()?;
        self.expect(",")?;
        let to = self.expression()?;
        self.scopes().blocks.push(HashMap::new());
        let id = self.declare(name);
        let body = self.looped(Self::block_here);
        self.scopes().blocks.pop();
        Ok(StmtKind::For(id, Box::new([from, to]), body?))
    }

    /// An assignment, or an expression for its effect.
    fn simple_statement(&mut self) -> Result<StmtKind, Error> {
        let target = self.expression()?;
        if !self.eat("=")? {
            return match target.kind {
                ExprKind::Call(..) | ExprKind::Builtin(..) => Ok(StmtKind::Expr(target)),
                _ => self.error("an expression is no statement, unless it calls something"),
            };
        }
        let value = self.expression()?;
        match target.kind {
            ExprKind::Variable(id) => Ok(StmtKind::Assign(id, value)),
            ExprKind::Index(place) => {
                let [array, index] = *place;
                Ok(StmtKind::SetIndex(Box::new([array, index, value])))
            }
            _ => self.error("this cannot be assigned to"),
        }
    }

    // ---- expressions

    fn function(&mut self, name: String) -> Result<FunctionExpr, Error> {
        self.functions.push(Scopes { blocks: vec![HashMap::new()], loops: 0 });
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.eat(")")? {
            let param = self.name()?;
            params.push(self.declare(param));
            if !self.eat(",")? {
                self.expect(")")?;
                break;
            }
        }
        let body = self.block();
        self.functions.pop();
        Ok(FunctionExpr { name, params, body: body? })
    }

    fn expression(&mut self) -> Result<Expr, Error> {
        self.deeper(|parser| parser.operation(0))
    }

    /// Operators that bind more strongly than `least`.
    fn operation(&mut self, least: u8) -> Result<Expr, Error> {
        let mut left = self.deeper(Self::prefixed)?;
        while let Some((operator, strength)) = infix(&self.token)
            && strength > least
        {
            let line = self.line;
            self.advance()?;
            let right = self.operation(strength)?;
            let both = Box::new([left, right]);
            let kind = match operator {
                Infix::Binary(op) => ExprKind::Binary(op, both),
                Infix::Compare(op) => ExprKind::Compare(op, both),
                Infix::And => ExprKind::And(both),
                Infix::Or => ExprKind::Or(both),
            };
            left = Expr { line, kind };
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Result<Expr, Error> {
        let line = self.line;
        if self.eat("-")? {
            let operand = self.operation(PREFIX)?;
            let kind = match operand.kind {
                ExprKind::Int(number) => ExprKind::Int(number.wrapping_neg()),
                ExprKind::Float(number) => ExprKind::Float(-number),
                _ => ExprKind::Negate(Box::new(operand)),
            };
            return Ok(Expr { line, kind });
        }
        if self.eat("not")? {
            let operand = self.operation(PREFIX)?;
            return Ok(Expr { line, kind: ExprKind::Not(Box::new(operand)) });
        }
        self.called()
    }

    fn list(&mut self, end: &str) -> Result<Vec<Expr>, Error> {
        let mut list = Vec::new();
        while !self.eat(end)? {
            list.push(self.expression()?);
            if !self.eat(",")? {
                self.expect(end)?;
                break;
            }
        }
        Ok(list)
    }

    /// A value with calls and indices behind it.
    fn called(&mut self) -> Result<Expr, Error> {
        let mut value = self.value()?;
        loop {
            let line = self.line;
            let kind = if self.eat("(")? {
                ExprKind::Call(Box::new(value), self.list(")")?)
            } else if self.eat("[")? {
                let index = self.expression()?;
                self.expect("]")?;
                ExprKind::Index(Box::new([value, index]))
            } else {
                return Ok(value);
            };
            value = Expr { line, kind };
        }
    }

    fn value(&mut self) -> Result<Expr, Error> {
        let line = self.line;
        let kind = match self.advance()? {
            Token::Int(number) => ExprKind::Int(number),
            Token::Float(number) => ExprKind::Float(number),
            Token::Text(text) => ExprKind::Text(text),
            Token::Sign("nil") => ExprKind::Nil,
            Token::Sign("true") => ExprKind::Bool(true),
            Token::Sign("false") => ExprKind::Bool(false),
            Token::Sign("fn") => ExprKind::Function(Box::new(self.function(String::from("a function"))?)),
            Token::Sign("[") => ExprKind::Array(self.list("]")?),
            Token::Sign("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Name(name) => match self.find(&name) {
                Some(id) => ExprKind::Variable(id),
                None => match Builtin::ALL.iter().find(|(_, known, _)| *known == name) {
                    Some(&(builtin, _, count)) => self.builtin(builtin, count)?,
                    None => ExprKind::Variable(self.variable(&name)?),
                },
            },
            other => return Err(Error::syntax(line, format!("expected an expression, found {other:?}"))),
        };
        Ok(Expr { line, kind })
    }

    fn builtin(&mut self, builtin: Builtin, count: usize) -> Result<ExprKind, Error> {
        self.expect("(")?;
        let arguments = self.list(")")?;
        match arguments.len() == count {
            true => Ok(ExprKind::Builtin(builtin, arguments)),
            false => self.error(format!("{count} arguments expected, {} found", arguments.len())),
        }
    }
}
